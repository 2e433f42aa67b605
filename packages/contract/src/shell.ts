// Writes commands for the shells that developers use: bash and zsh, PowerShell, and the Command Prompt of Windows.

export type Shell = 'sh' | 'powershell' | 'cmd';

const QUOTES: Readonly<Record<Shell, (text: string) => string>> = {
  sh: (text) => `'${text.replaceAll("'", "'\\''")}'`,
  // PowerShell reads typographic quotes as straight ones.
  powershell: (text) => `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`,
  cmd: (text) => `"${text.replaceAll('"', '""')}"`,
};

const ASSIGNMENTS: Readonly<Record<Shell, (name: string, value: string) => string>> = {
  sh: (name, value) => `export ${name}=${value}`,
  powershell: (name, value) => `$env:${name} = '${value}'`,
  cmd: (name, value) => `set "${name}=${value}"`,
};

/** Quotes a text as one word of a shell. */
export function quote(text: string, shell: Shell): string {
  const safe = shell === 'sh' ? /^[\w./=:-]+$/ : /^[\w./\\=:-]+$/;
  return safe.test(text) ? text : QUOTES[shell](text);
}

/** Sets a variable for later commands. The value has no spaces and no quotes. */
export function assign(name: string, value: string, shell: Shell): string {
  return ASSIGNMENTS[shell](name, value);
}

export type JsonRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/**
 * A command that posts JSON. PowerShell has a different one, because its versions pass quotes to programs differently.
 */
export function postCommand({ url, headers, body }: JsonRequest, shell: Shell): string {
  const json = JSON.stringify(body);
  if (shell === 'powershell') {
    const pairs = Object.entries(headers).map(
      ([name, value]) => `${QUOTES.powershell(name)} = ${QUOTES.powershell(value)}`,
    );
    return [
      `Invoke-RestMethod ${quote(url, shell)} -Method Post`,
      `-Headers @{ ${pairs.join('; ')} }`,
      `-ContentType application/json -Body ${QUOTES.powershell(json)}`,
    ].join(CONTINUATION.powershell);
  }
  const quoted = (text: string) => (shell === 'sh' ? QUOTES.sh(text) : `"${text.replaceAll('"', '\\"')}"`);
  const fields = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [
    `curl -sS ${quote(url, shell)}`,
    fields.join(' '),
    `-H ${quoted('Content-Type: application/json')} -d ${quoted(json)}`,
  ].join(shell === 'sh' ? ' \\\n  ' : CONTINUATION.cmd);
}

/** Programs whose arguments with `/` are paths. Others also take URLs and names, and read such paths on Windows too. */
const TAKES_PATHS: readonly string[] = ['chauffeur'];

/** A part of a word: text as it is, or a variable. */
type Part = { readonly text: string } | { readonly variable: string };
type Word = { readonly parts: readonly Part[]; readonly operator?: '|' };
type Line = { readonly words: readonly Word[]; readonly comment: string };

/**
 * Translates commands from bash for Windows. Understands what our guides use: words, quotes, variables, `export`,
 * pipes, comments and lines that continue. Throws an Error for anything else.
 */
export function translateCommands(commands: string, shell: 'powershell' | 'cmd'): string {
  const lines = commands.replaceAll(/ *\\\n */g, CONTINUED).split('\n');
  return lines.map((line) => translateLine(line, shell)).join('\n');
}

/** Marks the end of a line that continues. */
const CONTINUED = ' \u0000 ';
const CONTINUATION = { powershell: ' `\n  ', cmd: ' ^\n  ' } as const;

function translateLine(line: string, shell: 'powershell' | 'cmd'): string {
  const { words, comment } = parseLine(line);
  if (words.length === 0) return comment === '' ? '' : `${shell === 'cmd' ? 'rem' : '#'} ${comment}`;
  const command = translateWords(words, shell);
  // A comment of the Command Prompt is a separate command, which would be part of this one.
  return comment === '' || shell === 'cmd' ? command : `${command}  # ${comment}`;
}

function translateWords(words: readonly Word[], shell: 'powershell' | 'cmd'): string {
  const [first, ...others] = words;
  const name = plainOf(first);
  if (name === 'export') return others.map((word) => translateAssignment(word, shell)).join('\n');
  if (/^\w+=/.test(name ?? '')) return words.map((word) => translateAssignment(word, shell)).join('\n');
  const install = /^curl -fsSL (\S+)\/install\.sh \| sh$/.exec(words.map((word) => plainOf(word) ?? '$').join(' '));
  if (install !== null) {
    const line = `irm ${install[1]}/install.ps1 | iex`;
    return shell === 'cmd' ? `powershell -Command "${line}"` : line;
  }
  const hasPaths = name !== undefined && TAKES_PATHS.includes(name);
  const translated = words.map((word) => translateWord(word, shell, hasPaths));
  // In Windows PowerShell, curl is another command.
  const program = shell === 'powershell' && name === 'curl' ? 'curl.exe' : (translated[0] ?? '');
  return [program, ...translated.slice(1)].join(' ').replaceAll(' \u0000 ', CONTINUATION[shell]);
}

/** The text of a word without variables. */
function plainOf(word: Word | undefined): string | undefined {
  if (word === undefined) return undefined;
  if (word.operator !== undefined) return word.operator;
  return word.parts.every((part) => 'text' in part) ? word.parts.map((part) => part.text).join('') : undefined;
}

function translateAssignment({ parts }: Word, shell: 'powershell' | 'cmd'): string {
  const [first, ...rest] = parts;
  const [, name = '', start = ''] =
    /^(\w+)=(.*)$/s.exec(first !== undefined && 'text' in first ? first.text : '') ?? [];
  if (name === '') throw new Error('Only variables can be exported.');
  let value: Part[] = [{ text: start }, ...rest];
  if (name === 'PATH') value = value.map((part) => ('text' in part ? { text: part.text.replaceAll(':', ';') } : part));
  const filled = value.filter((part) => 'variable' in part || part.text !== '').map(translatePath);
  if (shell === 'cmd') return `set "${name}=${filled.map(writeForCmd).join('')}"`;
  const isPlain = filled.every((part) => 'text' in part);
  const text = filled.map((part) => ('text' in part ? part.text : '')).join('');
  return `$env:${name} = ${isPlain ? QUOTES.powershell(text) : `"${filled.map(writeForPowerShell).join('')}"`}`;
}

/** After a variable with a folder, a path goes on with `\`. */
function translatePath(part: Part, index: number, parts: readonly Part[]): Part {
  const before = parts[index - 1];
  const isInFolder = before !== undefined && 'variable' in before && /^HOME$|_DIR$|_FOLDER$/.test(before.variable);
  return isInFolder && 'text' in part ? { text: part.text.replaceAll('/', '\\') } : part;
}

function translateWord(word: Word, shell: 'powershell' | 'cmd', hasPaths: boolean): string {
  const plain = plainOf(word);
  if (plain === '\u0000' || plain === '|') return plain;
  if (plain !== undefined) {
    const isPath = hasPaths && /^[\w.-]+(\/[\w.-]+)+$/.test(plain);
    const text = isPath ? plain.replaceAll('/', '\\') : plain;
    if (shell === 'powershell') return quote(text, shell);
    return /^[\w./\\=:@,-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
  }
  const write = shell === 'powershell' ? writeForPowerShell : writeForCmd;
  return `"${word.parts.map(translatePath).map(write).join('')}"`;
}

function writeForPowerShell(part: Part, index: number, parts: readonly Part[]): string {
  if ('text' in part) return part.text.replaceAll(/[`"$]/g, '`$&');
  const name = part.variable === 'HOME' ? 'HOME' : `env:${part.variable}`;
  const next = parts[index + 1];
  // Otherwise the text would be part of the name.
  return next !== undefined && 'text' in next && /^[\w:]/.test(next.text) ? `\${${name}}` : `$${name}`;
}

function writeForCmd(part: Part): string {
  if ('text' in part) return part.text.replaceAll('"', '\\"');
  return part.variable === 'HOME' ? '%USERPROFILE%' : `%${part.variable}%`;
}

/** Tokens of a line: spaces, a comment, a pipe, or a piece of a word. */
const TOKEN =
  /(?<space>[ \t]+)|(?<comment>#.*)|(?<pipe>\|)|'(?<single>[^']*)'|"(?<double>[^"]*)"|\$(?<variable>\w+)|(?<bare>[^\s'"$|&;<>()`\\#]+)/y;

function parseLine(line: string): Line {
  const words: Word[] = [];
  let parts: Part[] | null = null;
  let comment = '';
  const end = () => {
    if (parts !== null) words.push({ parts });
    parts = null;
  };
  const add = (...more: Part[]) => {
    parts = [...(parts ?? []), ...more];
  };
  for (let at = 0; at < line.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(line)?.groups;
    if (groups === undefined) throw new Error(`Can't translate “${line.slice(at)}”.`);
    if (groups.space !== undefined) end();
    else if (groups.pipe !== undefined) {
      end();
      words.push({ parts: [], operator: '|' });
    } else if (groups.comment !== undefined) comment = groups.comment.slice(1).trim();
    else if (groups.double !== undefined) add(...parseDouble(groups.double));
    else if (groups.variable !== undefined) add({ variable: groups.variable });
    else add({ text: groups.single ?? groups.bare ?? '' });
  }
  end();
  return { words, comment };
}

/** The content of double quotes. */
function parseDouble(content: string): Part[] {
  if (/[`\\]|\$\(/.test(content)) throw new Error(`Can't translate “${content}”.`);
  return content
    .split(/\$(\w+)/)
    .map((piece, index): Part => (index % 2 === 0 ? { text: piece } : { variable: piece }))
    .filter((part) => 'variable' in part || part.text !== '');
}
