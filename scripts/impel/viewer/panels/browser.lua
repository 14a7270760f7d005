-- The gallery: the scenes of the opened folder and the examples, with the pictures gallery/NAME.png or NAME.png.

require "impel.core" -- provides impel.system
local artwork = require "impel.picture.artwork"
local edit = require "impel.viewer.ui.edit"
local system = require "impel.system"
local theme = require "impel.viewer.ui.theme"

local browser = { name = "browser", title = "Scenes" }

local CARD = 190      -- [screen points] least width of a card
local NARROW = 240    -- [screen points] width of the gallery above which a row has two cards or more
local GAP, PAD = 10, theme.PAD
local LOW = 360       -- [screen points] a window lower than this is filled by the gallery
local NAME, HEADING = 32, 24 -- [screen points] height of the name of a card, and of the title of a group
local HEAD = 4096     -- [B] beginning of a file that is searched for its title
local PATIENCE = 0.004 -- [s] time in a frame for reading pictures
local WHEEL = 72      -- [screen points] distance scrolled per notch of the wheel


-- Scenes -------------------------------------------------------------------------------------------------------------

-- Return the scene files in a folder, sorted.
local function files_in(folder)
  local names = {}
  for _, name in ipairs(folder and system.files(folder) or {}) do
    if name:find "^[^.].*%.lua$" and not name:find "_spec%.lua$" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function add(list, folder, group, prefix)
  for _, name in ipairs(files_in(folder)) do
    list[#list + 1] = { path = folder .. "/" .. name, name = (prefix or "") .. name:match "^(.*)%.lua$", group = group }
  end
end

--- Return the scenes { path, name, group } of the folder, then the examples.
function browser.scenes(folder, examples)
  local list = {}
  if folder then folder = folder:gsub("(.)/+$", "%1") end
  if folder and folder ~= examples then add(list, folder, folder) end
  if examples then
    add(list, examples .. "/games", "games", "games/")
    add(list, examples, "examples")
  end
  return list
end

local function plain(path)
  return (path:gsub("^%./+", ""))
end

--- Return the index of a scene, or nil.
function browser.index(list, path)
  for i, entry in ipairs(list) do
    if plain(entry.path) == plain(path) then return i end
  end
  return nil
end

-- Return the title of a scene, if it is a literal string near the beginning of the file.
local function title_of(entry)
  if entry.title then return entry.title end
  local text = system.read_head(entry.path, HEAD) or ""
  local title = text:match '%f[%w_]title%s*=%s*"([^"\n]*)"' or text:match "%f[%w_]title%s*=%s*'([^'\n]*)'" or ""
  entry.title = utf8.len(title) and title or ""
  return entry.title
end

--- Return the scenes whose names, titles and folders contain all words of a text.
function browser.filter(list, text)
  local found = {}
  for _, entry in ipairs(list) do
    local place, fits = (entry.name .. " " .. title_of(entry) .. " " .. entry.group):lower(), true
    for word in text:lower():gmatch "%S+" do fits = fits and place:find(word, 1, true) ~= nil end
    if fits then found[#found + 1] = entry end
  end
  return found
end


-- Pictures -----------------------------------------------------------------------------------------------------------

-- Read the picture of a scene, or return false.
local function load_picture(self, entry)
  local name = entry.name
  local folder = entry.path:sub(1, -#(name .. ".lua") - 1) -- a name may begin with a folder: "games/lander"
  for _, path in ipairs { folder .. "gallery/" .. name .. ".png", folder .. name .. ".png" } do
    if system.kind(path) == "file" then
      local ok, image = pcall(self.loader.image, self.loader, path)
      return ok and image
    end
  end
  return false
end

-- Return the picture of a scene, loaded first if the frame has time; nil if not loaded, false if the scene has none.
local function picture_of(self, entry)
  local picture = self.pictures[entry.path]
  if picture == nil and self.viewer.clock() - self.began <= PATIENCE then
    picture = load_picture(self, entry)
    self.pictures[entry.path] = picture
  end
  return picture
end


-- The panel ----------------------------------------------------------------------------------------------------------

local Browser = {}
Browser.__index = Browser

-- Compute the layout [points], y from the top of the first row: cells { x, y, row, column } and headings { text, y }.
local function layout(list, width, headings)
  local columns = math.max(width >= NARROW and 2 or 1, (width + GAP) // (CARD + GAP))
  local card = math.floor((width - GAP * (columns - 1)) / columns)
  local height = math.floor(card * 9 / 16) + NAME
  local cells, titles, y, row, column, group = {}, {}, 0, 0, columns, nil
  for i, entry in ipairs(list) do
    if entry.group ~= group or column >= columns then
      if row > 0 then y = y + height + GAP end
      if headings and entry.group ~= group then
        titles[#titles + 1] = { text = entry.group, y = y }
        y = y + HEADING
      end
      row, column, group = row + 1, 0, entry.group
    end
    cells[i] = { entry = entry, x = column * (card + GAP), y = y, row = row, column = column }
    column = column + 1
  end
  return { cells = cells, titles = titles, width = card, height = height, total = #list > 0 and y + height or 0 }
end

local function draw_picture(self, ui, entry, x, y, width, height)
  ui:box(x, y, width, height, theme.field, 3)
  local picture = picture_of(self, entry)
  if picture then
    local scale = math.min(width / picture.width, height / picture.height)
    ui.drawing:image("panel", nil, picture.key, x + width / 2, y + height / 2, picture.width * scale,
      picture.height * scale, 0, 0.5, 0.5, 0, picture.height, picture.width, 0, false) -- y of panels points down
  else
    ui:text(x + width / 2, y + height / 2, ui:fit(picture == false and "no picture" or "...", width - PAD), theme.dim,
      0.5)
  end
end

local function draw_card(self, ui, cell, x, y, plan)
  local entry, width, height = cell.entry, plan.width, plan.height
  local hover, _, clicked = ui:touch("card" .. cell.entry.path, x, y, width, height)
  local selected = entry.path == self.selected
  if hover or selected then ui:box(x - 4, y - 4, width + 8, height + 6, selected and theme.held or theme.hover, 5) end
  draw_picture(self, ui, entry, x, y, width, height - NAME)
  ui:text(x, y + height - NAME + 10, ui:fit(entry.name, width), theme.text)
  ui:text(x, y + height - NAME + 24, ui:fit(title_of(entry), width, theme.SMALL), selected and theme.text or theme.dim,
    0, theme.SMALL)
  if hover then ui:tooltip(entry.name .. "\n" .. title_of(entry)) end
  if selected then ui:frame(x - 4, y - 4, width + 8, height + 6, theme.focus, 5) end
  return clicked
end

-- Scroll by the wheel, and scroll to the cell that the keys selected.
local function scroll(self, ui, plan, view)
  if ui.over == browser.name and ui.wheel ~= 0 then
    self.at = self.at - WHEEL * ui.wheel
    ui.wheel = 0
  end
  if self.reveal then
    for _, cell in ipairs(plan.cells) do
      if cell.entry.path == self.selected then
        self.at = cell.row == 1 and 0 or math.min(math.max(self.at, cell.y + plan.height + 4 - view), cell.y - 4)
      end
    end
    self.reveal = false
  end
  self.at = math.max(0, math.min(self.at, plan.total + 8 - view))
end

local function draw_filter(self, ui, found, count)
  local top = ui.panel.y
  ui:input("filter", self.line)
  local text = #found == count and ("%d scenes"):format(count) or ("%d of %d"):format(#found, count)
  ui:text(ui.panel.x + ui.panel.width - PAD, top + theme.ROW / 2, text, theme.dim, 1)
  if self.line.text == "" then
    ui:text(ui.panel.x + PAD + 2, top + theme.ROW / 2,
      ui:fit("type to filter, Enter opens", ui.panel.width - 3 * PAD - ui:text_width(text)), theme.dim)
  end
  if not ui.focus and self:is_on_top() then ui:take_focus("filter", "text") end
end

-- Draw the cards below the filter. Return the scene whose card was clicked.
local function draw_cards(self, ui)
  local panel, plan = ui.panel, self.plan
  local x, y = panel.x + 4, panel.y + 4
  local view = panel.box[4] - PAD - y
  local clicked
  scroll(self, ui, plan, view)
  ui:enter(panel.box[1], y - 4, panel.box[3] - panel.box[1], view + 4)
  for _, title in ipairs(plan.titles) do
    ui:text(x, y + title.y - self.at + 8, ui:fit(title.text, panel.width - 16), theme.accent)
  end
  for _, cell in ipairs(plan.cells) do
    local top = y + cell.y - self.at
    if top + plan.height > y - 4 and top < y + view then
      if draw_card(self, ui, cell, x + cell.x, top, plan) then clicked = cell.entry end
    end
  end
  ui:leave()
  if #plan.cells == 0 then ui:text(x, y + 16, "no scene contains these words", theme.dim) end
  if plan.total + 8 > view and view > 32 then
    local length = math.max(16, view * view / (plan.total + 8))
    ui:box(panel.box[3] - 6, y + (view - length) * self.at / (plan.total + 8 - view), 3, length, theme.faint, 1.5)
  end
  return clicked
end

--- Return whether the gallery receives keys: no other panel is above it.
function Browser:is_on_top()
  local open = self.viewer.open_panels
  return open[#open] == browser.name and not self.viewer.failure and not self.viewer.hidden
end

-- Open a scene. Close the gallery even if the scene fails, because the failure must be visible.
local function choose(self, entry)
  self.viewer:toggle(browser.name)
  self.pictures, self.loader = {}, artwork.new "." -- release the memory
  self.viewer:open(entry.path)
end

function Browser:draw(ui)
  local viewer, list = self.viewer, self.viewer:scenes()
  self.began = viewer.clock()
  if list ~= self.list then -- true in the first frame, and after a change of the scene folder
    local at = browser.index(list, viewer.run.scene.file)
    self.list, self.at, self.reveal, self.selected = list, 0, true, at and list[at].path
    self.text = nil
  end
  if self.line.text ~= self.text then
    self.text, self.found, self.headings = self.line.text, browser.filter(list, self.line.text), nil
    self.at = 0
    local at = browser.index(self.found, self.selected or "")
    if not at and self.found[1] then self.selected = self.found[1].path end
    self.reveal = at ~= nil
  end
  local x, y, width, height = ui:place(browser.name, "center", ui.width, ui.height)
  if ui.height < LOW then x, y, width, height = 0, 0, ui.width, ui.height end
  if ui:begin_panel(browser.name, browser.title, x, y, width, height, true) then viewer:toggle(browser.name) end
  draw_filter(self, ui, self.found, #list)
  local first, last = self.found[1], self.found[#self.found]
  self.plan = layout(self.found, ui.panel.width - 16, first and first.group ~= last.group or first
    and first.group ~= "examples")
  local clicked = draw_cards(self, ui)
  ui:finish_panel()
  if clicked then choose(self, clicked) end
end

-- Return the cell to which a key moves the selection.
local function neighbour(cells, at, key)
  local cell = cells[at]
  if key == "left" then return cells[at - 1] end
  if key == "right" then return cells[at + 1] end
  if key == "home" then return cells[1] end
  if key == "end" then return cells[#cells] end
  local rows = (key == "pageup" or key == "pagedown") and 3 or 1
  local row, found = cell.row + ((key == "up" or key == "pageup") and -rows or rows), nil
  row = math.max(1, math.min(row, cells[#cells].row))
  for _, each in ipairs(cells) do
    if each.row == row and (each.column <= cell.column or not found) then found = each end
  end
  return found
end

local MOVES = { left = true, right = true, up = true, down = true, home = true, ["end"] = true, pageup = true,
  pagedown = true }

--- Handle the keys that move the selection, open the selected scene, and clear the filter or close the gallery. Other
--- keys go to the filter.
function Browser:event(event)
  if event.type ~= "key" or not event.down or event.ctrl or event.alt or not self.plan or not self:is_on_top() then
    return false
  end
  local cells, at = self.plan.cells, nil
  for i, cell in ipairs(cells) do
    if cell.entry.path == self.selected then at = i end
  end
  if MOVES[event.key] then
    local cell = at and neighbour(cells, at, event.key) or not at and cells[1]
    if cell then self.selected, self.reveal = cell.entry.path, true end
    return true
  end
  if event.key == "return" or event.key == "keypad_enter" then
    if at then choose(self, cells[at].entry) end
    return true
  end
  if event.key ~= "escape" then return false end
  if self.line.text == "" then self.viewer:toggle(browser.name) else self.line:set "" end
  return true
end

--- Make the panel.
function browser.new(viewer)
  return setmetatable({ viewer = viewer, line = edit.new(), pictures = {}, loader = artwork.new ".", at = 0 }, Browser)
end

return browser
