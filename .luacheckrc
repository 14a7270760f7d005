std = "lua54"
max_line_length = 120
exclude_files = { "build/**" }
files["spec"].std = "+busted"
files["examples/ci/*_spec.lua"].std = "+busted"
