// `chauffeur completion`: prints a script that completes commands and flags in bash, zsh or fish.
import { Argument, type Command } from 'commander';
import { type Act, type Action, withExample } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function completionCommand(command: Command, act: Act): Command {
  withExample(command, 'completion bash > ~/.local/share/bash-completion/completions/chauffeur').addArgument(
    new Argument('<shell>', 'shell').choices(SHELLS),
  );
  const complete: Action<object> = async (_context, _options, shell) => {
    const script = scriptOf(shell as (typeof SHELLS)[number], wordsOf(command.parent as Command));
    return { data: { shell, script }, lines: script.split('\n') };
  };
  return command.action(act(complete));
}

/** The possible words after each command path, such as `media add`; the empty path is `chauffeur` itself. */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(command: Command, path = ''): Words {
  const flags = command.options.flatMap((option) => option.long ?? []);
  const words = new Map([[path, [...command.commands.map((subcommand) => subcommand.name()), ...flags, '--help']]]);
  for (const subcommand of command.commands) {
    for (const [inner, list] of wordsOf(subcommand, `${path} ${subcommand.name()}`.trim())) words.set(inner, [...list]);
  }
  return words;
}

function scriptOf(shell: (typeof SHELLS)[number], words: Words): string {
  if (shell === 'fish') return fishScript(words);
  // zsh can run the bash script with bashcompinit.
  return shell === 'bash'
    ? bashScript(words)
    : `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`;
}

function bashScript(words: Words): string {
  const commands = [...words.keys()].map((path) => `|${path}|`).join('');
  const cases = [...words].map(([path, list]) => `    '${path}') words='${list.join(' ')}' ;;`).join('\n');
  // The variable is not named `path`, because that is PATH in zsh.
  return `_chauffeur() {
  local word at="" words="" known='${commands}'
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$known" in *"|\${at:+$at }$word|"*) at="\${at:+$at }$word" ;; esac
  done
  case "$at" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _chauffeur chauffeur`;
}

function fishScript(words: Words): string {
  const lines = [...words].flatMap(([path, list]) => {
    const seen = path.split(' ').filter((word) => word !== '');
    const subcommands = list.filter((word) => !word.startsWith('-'));
    const condition = [
      ...seen.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(subcommands.length > 0 ? [`not __fish_seen_subcommand_from ${subcommands.join(' ')}`] : []),
    ].join('; and ');
    return list.map((word) => {
      const candidate = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word} -f`;
      return `complete -c chauffeur -n '${condition}' ${candidate}`;
    });
  });
  return lines.join('\n');
}
