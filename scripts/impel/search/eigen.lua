-- Eigenvalues and eigenvectors of symmetric matrices by Jacobi rotations, in cyclic order.
--
--   tangent t of the angle: smaller root of t^2 + 2 tau t - 1 = 0,  tau = (a[q][q] - a[p][p]) / (2 a[p][q])
--   stop at |a[p][q]| <= eps sqrt(a[p][p] a[q][q])
--   source: Golub and Van Loan, "Matrix Computations" (4th ed. 2013), section 8.5; Demmel and Veselic, "Jacobi's Method
--   is More Accurate than QR" (1992)

local eigen = {}

local EPSILON = 0x1p-52
local SWEEPS = 50 -- limit of sweeps over all elements

-- Make a[p][q] zero by rotating rows and columns p and q. Eigenvectors are the rows of `vectors`.
local function rotate(a, vectors, p, q)
  local row_p, row_q, v_p, v_q = a[p], a[q], vectors[p], vectors[q]
  local coupling = row_p[q]
  local tau = (row_q[q] - row_p[p]) / (2.0 * coupling)
  local t = (tau >= 0 and 1.0 or -1.0) / (math.abs(tau) + math.sqrt(1.0 + tau * tau))
  local c = 1.0 / math.sqrt(1.0 + t * t)
  local s = t * c
  local diagonal_p, diagonal_q = row_p[p] - t * coupling, row_q[q] + t * coupling
  for k = 1, #a do
    local x, y, row = row_p[k], row_q[k], a[k]
    x, y = c * x - s * y, s * x + c * y
    row_p[k], row_q[k], row[p], row[q] = x, y, x, y
    x, y = v_p[k], v_q[k]
    v_p[k], v_q[k] = c * x - s * y, s * x + c * y
  end
  row_p[p], row_q[q], row_p[q], row_q[p] = diagonal_p, diagonal_q, 0.0, 0.0
end

local function sweep(a, vectors)
  local rotated = false
  for p = 1, #a - 1 do
    for q = p + 1, #a do
      if math.abs(a[p][q]) > EPSILON * math.sqrt(math.abs(a[p][p])) * math.sqrt(math.abs(a[q][q])) then
        rotate(a, vectors, p, q)
        rotated = true
      end
    end
  end
  return rotated
end

--- Return the eigenvalues of a symmetric matrix, in no particular order, and its eigenvectors.
---@param matrix number[][]  (n, n), not modified
---@return number[] values
---@return number[][] vectors  (n, n): vectors[k] belongs to values[k]; orthonormal
function eigen.symmetric(matrix)
  local n, a, vectors, values = #matrix, {}, {}, {}
  for i = 1, n do
    a[i], vectors[i] = table.move(matrix[i], 1, n, 1, {}), {}
    for k = 1, n do vectors[i][k] = i == k and 1.0 or 0.0 end
  end
  local sweeps = 0
  while sweeps < SWEEPS and sweep(a, vectors) do sweeps = sweeps + 1 end
  for i = 1, n do values[i] = a[i][i] end
  return values, vectors
end

return eigen
