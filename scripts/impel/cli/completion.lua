-- impel --completion bash|zsh|fish: print a completion script.
-- argparse writes the script; placeholders @scenes and @files in its text are replaced.

local find = require "impel.cli.find"

local completion = {}

local SCENES, FILES = "@scenes", "@files"

local by_name = {
  ["--solver"] = function() return require("impel.compare").solvers() end,
  ["--template"] = function() return require("impel.cli.new").templates end,
}
by_name["--solvers"], by_name["--reference"] = by_name["--solver"], by_name["--solver"]

-- Return the choices for an option's value: files if `argname` is IN or FILE, or begins with OUT.
local function option_choices(option, argname)
  for _, alias in ipairs(option._aliases) do
    if by_name[alias] then return by_name[alias]() end
  end
  return (argname:find "^OUT" or argname == "IN" or argname == "FILE") and { FILES } or {}
end

local function argument_choices(command, argname)
  if command._name == "api" then return require("impel.reference.api").names() end
  if argname == "IN" then return { FILES } end
  return (argname == "FILE" or argname == "PATH") and { SCENES } or {}
end

local function argname_of(element)
  local name = element._argname
  return (type(name) == "table" and name[1] or name) or ""
end

-- Set the choices of every argument, and of every option that has a value.
local function add_choices(command)
  for _, option in ipairs(command._options) do
    if option._minargs > 0 then option._choices = option._choices or option_choices(option, argname_of(option)) end
  end
  for _, argument in ipairs(command._arguments) do
    argument._choices = argument._choices or argument_choices(command, argname_of(argument))
  end
end

-- Return the completion of a command's first argument, or nil.
local function first_argument(command)
  local argument = command._arguments[1]
  return argument and #argument._choices > 0 and argument._choices or nil
end

-- Replace all occurrences of a plain text.
local function replace(text, from, to)
  return (text:gsub(from:gsub("%p", "%%%0"), (to:gsub("%%", "%%%%"))))
end


-- The shells ---------------------------------------------------------------------------------------------------------

local shells = {}

-- A text in the script of argparse. The completion of arguments is inserted before this text.
local BASH_OPTIONS = '    if [[ "$cur" = -* ]]; then\n'

local function bash_words(words)
  return ('COMPREPLY=($(compgen -W "%s" -- "$cur"))'):format(table.concat(words, " "))
end

function shells.bash(parser, examples)
  local arguments = {}
  for _, command in ipairs(parser._commands) do
    local words = first_argument(command)
    if words then arguments[#arguments + 1] = ("        %s) %s ;;\n"):format(command._name, bash_words(words)) end
  end
  local text = replace(parser:get_bash_complete(), BASH_OPTIONS,
    '    case "$cmd" in\n' .. table.concat(arguments) .. "    esac\n\n" .. BASH_OPTIONS)
  text = replace(text, bash_words { SCENES }, "_impel_scenes")
  text = replace(text, bash_words { FILES }, "_impel_files")
  return ([[
_impel_files() {
    local IFS=$'\n'
    COMPREPLY=($(compgen -f -- "$cur"))
}

_impel_scenes() {
    local IFS=$'\n'
    COMPREPLY=($(compgen -W "$(printf '%%s\n' %s)" -- "$cur")
        $(compgen -f -X '!*.lua' -- "$cur") $(compgen -d -- "$cur"))
}

]]):format(table.concat(examples, " ")) .. replace(text, "-o bashdefault -o default", "-o filenames")
end

-- If a shell sources the script, the script registers the function _impel. If zsh loads the script from $fpath as the
-- function _impel, the script calls _impel.
local ZSH_END = [[
_impel_scenes() {
  local -a examples=(%s)
  _alternative 'examples:example:compadd -a examples' 'files:scene file:_files -g "*.lua"'
}

if [ "$funcstack[1]" = "_impel" ]; then
  _impel "$@"
else
  compdef _impel impel
fi
]]

function shells.zsh(parser, examples)
  local text = replace(parser:get_zsh_complete(), ": :(" .. SCENES .. ")", ": :_impel_scenes")
  text = replace(text, ": :(" .. FILES .. ")", ": :_files")
  text = replace(text, ": :()", ":value: ")
  return text:gsub("\n_impel\n$", "\n") .. ZSH_END:format(table.concat(examples, " "))
end

function shells.fish(parser, examples)
  local text = parser:get_fish_complete()
  text = replace(text, ("-xa '%s'"):format(SCENES), "-xa '(__impel_scenes)'")
  text = replace(text, ("-xa '%s'"):format(FILES), "-rF")
  local out = { ([[
function __impel_scenes
    printf '%%s\texample\n' %s
    __fish_complete_suffix .lua
end

]]):format(table.concat(examples, " ")), text, "\n" }
  for _, command in ipairs(parser._commands) do
    local words = first_argument(command)
    local list = words and (words[1] == SCENES and "(__impel_scenes)" or table.concat(words, " "))
    out[#out + 1] = words and words[1] == FILES and ""
      or ("complete -c impel -n '__fish_impel_seen_command %s' -f%s\n"):format(command._name,
        list and (" -a '%s'"):format(list) or "")
  end
  return table.concat(out)
end

--- Return the script that makes a shell complete arguments. The parser cannot be used afterwards.
---@param parser table  of argparse
---@param shell string  "bash", "zsh" or "fish"
---@param host table|nil
---@return string
function completion.text(parser, shell, host)
  parser._basename = "impel"
  add_choices(parser)
  for _, command in ipairs(parser._commands) do add_choices(command) end
  return shells[shell](parser, host and find.examples(host) or {})
end

return completion
