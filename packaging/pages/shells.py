# SPDX-License-Identifier: Apache-2.0
"""Completion of commands, options and their values for bash, zsh and fish."""

from __future__ import annotations

from model import Argument, Command


def bash(commands: tuple[Command, ...]) -> str:
    top, *named = commands
    cases = "\n".join(_bash_case(command) for command in named)
    return f"""# bash completion for anycuda
_anycuda()
{{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" command="" options="" values=""
    local word index
    for ((index = 1; index < COMP_CWORD; index++)); do
        word="${{COMP_WORDS[index]}}"
        [[ "$word" == -- ]] && return
        [[ -z "$command" && "$word" != -* ]] && command="$word"
    done
    case "$command" in
        "") options="{_option_names(top)}"; values="{' '.join(command.name for command in named)}" ;;
{cases}
    esac
    if [[ "$current" == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    elif [[ -n "$values" ]]; then
        COMPREPLY=($(compgen -W "$values" -- "$current"))
    fi
}}
complete -o default -F _anycuda anycuda
"""


def _bash_case(command: Command) -> str:
    lines = [f'        {command.name})', f'            options="{_option_names(command)}"']
    values = sorted({choice for argument in command.positionals for choice in argument.choices})
    if values:
        lines.append(f'            values="{" ".join(values)}"')
    chosen = [option for option in command.options if option.choices]
    if chosen:
        lines.append('            case "$previous" in')
        lines += [f'                {"|".join(option.names)}) values="{" ".join(option.choices)}" ;;'
                  for option in chosen]
        lines.append("            esac")
    return "\n".join([*lines, "            ;;"])


def zsh(commands: tuple[Command, ...]) -> str:
    top, *named = commands
    names = "\n".join(f"            {_quoted(f'{_colons(command.name)}:{command.summary}')}" for command in named)
    cases = "\n".join(_zsh_case(command) for command in named)
    options = _zsh_specs(top.options, 4)
    return f"""#compdef anycuda
_anycuda() {{
    local state line
    _arguments -C \\
{options}
        '1:command:->command' '*::argument:->arguments'
    case $state in
        command)
            local -a names=(
{names}
            )
            _describe command names
            ;;
        arguments)
            case $line[1] in
{cases}
            esac
            ;;
    esac
}}
_anycuda "$@"
"""


def _zsh_case(command: Command) -> str:
    rest = "'*:file:_files'"
    values = " ".join(choice for argument in command.positionals for choice in argument.choices)
    if values:
        rest = f"'*:value:({values})'"
    return f"""                {command.name})
                    _arguments \\
{_zsh_specs(command.options, 20)}
                        {rest}
                    ;;"""


def _zsh_specs(options: tuple[Argument, ...], indent: int) -> str:
    lines = []
    for option in options:
        value = ""
        if option.value:
            value = f":{_colons(option.value)}:" + (f"({' '.join(option.choices)})" if option.choices else "_files")
        text = _colons(option.help).replace("[", "\\[").replace("]", "\\]")
        lines += [f"{' ' * (indent + 4)}{_quoted(f'*{name}[{text}]{value}')} \\" for name in option.names]
    return "\n".join(lines)


def fish(commands: tuple[Command, ...]) -> str:
    top, *named = commands
    lines = ["# fish completion for anycuda", "complete -c anycuda -n __fish_use_subcommand -f"]
    lines += _fish_options(top, "__fish_use_subcommand")
    for command in named:
        lines.append(f"complete -c anycuda -n __fish_use_subcommand -a {command.name} -d {_quoted(command.summary)}")
        condition = f"'__fish_seen_subcommand_from {command.name}'"
        lines += _fish_options(command, condition)
        values = " ".join(choice for argument in command.positionals for choice in argument.choices)
        if values:
            lines.append(f"complete -c anycuda -n {condition} -f -a {_quoted(values)}")
    return "\n".join(lines) + "\n"


def _fish_options(command: Command, condition: str) -> list[str]:
    lines = []
    for option in command.options:
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
        value = ""
        if option.value:
            value = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else " -r"
        lines.append(f"complete -c anycuda -n {condition} {names}{value} -d {_quoted(option.help)}")
    return lines


def _option_names(command: Command) -> str:
    return " ".join(name for option in command.options for name in option.names)


def _colons(text: str) -> str:
    return text.replace(":", "\\:")


def _quoted(text: str) -> str:
    """The text in single quotes for zsh and fish; a quote inside ends and reopens them."""
    return "'" + text.replace("'", "'\\''") + "'"
