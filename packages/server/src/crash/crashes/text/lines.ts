// Splits a text into lines and removes what loggers put before each of them.

export const TEXT_LIMITS = {
  /** Characters of a line; the rest of a longer one is dropped. */
  lineLength: 1024,
  /** Characters of a text; of a longer one, the end is read. */
  characters: 512 * 1024,
  /** Lines of a message with its metadata, or of the end of a log. */
  lines: 4000,
} as const;

/** Terminal colors and other escape sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
const ESCAPES = /\x1b\[[\d;]{0,20}[A-Za-z]|\x1b\][^\x07\x1b]{0,200}\x07/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; tabs indent frames and stay
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The last lines of the text, without prefixes of loggers, colors and trailing spaces. */
export function linesOf(whole: string): string[] {
  const text = whole.slice(-TEXT_LIMITS.characters);
  const broken = text.includes('\n') || text.includes('\r') ? text : unescapeBreaks(text);
  return broken
    .split(/\r\n|\n|\r|\u2028|\u2029/)
    .slice(-TEXT_LIMITS.lines)
    .map((line) =>
      withoutPrefix(line.slice(0, TEXT_LIMITS.lineLength).replace(ESCAPES, '').replace(CONTROLS, '').trimEnd()),
    );
}

/** Some clients send the breaks of a stack as the two characters `\n`. */
function unescapeBreaks(text: string): string {
  // In a text of one line, `\t` is rather part of a path, such as `C:\tools`.
  if (!text.includes('\\n')) return text;
  return text.replace(/\\r\\n|\\n/g, '\n').replaceAll('\\t', '\t');
}

/** What loggers put before a line. The first that matches is removed, so a line costs a constant number of passes. */
const PREFIXES: readonly { readonly match: RegExp; readonly hasLevel?: boolean }[] = [
  // Android: `01-31 12:00:00.123  1234  1234 E Unity   : `, `01-31 12:00:00.123 F/DEBUG   ( 1234): `, `E/Unity ( 99):
  // `, `E/Unity: `.
  { match: /^(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,9} {1,8}\d{1,7} {1,8}\d{1,7} [VDIWEFA] [^:]{0,40}: ?/ },
  { match: /^(?:(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,9} {1,8})?[VDIWEFA]\/[^(:]{0,40}(?:\( {0,6}\d{1,7}\))?: ?/ },
  // Unreal: `[2024.01.31-12.00.00:123][ 42]LogWindows: Error: `.
  {
    match:
      /^\[\d{4}\.\d\d\.\d\d-\d\d\.\d\d\.\d\d:\d{3}\]\[[ \d]{1,5}\](?:Log\w{1,40}: )?(?:(?:Display|Error|Fatal|Warning|Verbose): ?)?/,
  },
  // syslog, journald and Apple's: `Jan 31 12:00:00 host game[99]: `.
  { match: /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,100} [^\s:]{1,100}: ?/ },
  // Everything else that begins with a time: `[12:00:00] [main/ERROR]: `, `2024-01-31T12:00:00.123Z ERROR game: `.
  {
    match:
      /^\[?(?:\d{4}[-/.]\d\d[-/.]\d\d[T ,_-]?)?\d\d[:.]\d\d[:.]\d\d(?:[.,:]\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d)?\]?[ \t|:-]{0,4}(?=\S|\s|$)/,
    hasLevel: true,
  },
  { match: /^E \d{1,4}:\d\d:\d\d[:.]\d{1,9} {1,4}/ },
];
/**
 * What follows a time: a level, a thread, or a logger. Words in lower case may begin the text itself: `Fatal error!`.
 */
const LEVEL_NAMES = 'TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|SEVERE';
const BRACKETED = new RegExp(`^\\[(?:[^\\]/]{0,60}/)?(?:${LEVEL_NAMES})\\](?: ?\\[[^\\]]{0,60}\\])?:?[ \\t]{0,3}`, 'i');
const BARE = new RegExp(`^(?:${LEVEL_NAMES})\\b(?: \\[[^\\]]{0,60}\\]| [\\w.]{1,60}(?=:))?[ \\t]{0,3}[:|-]?[ \\t]?`);

/** The line without the time, level, process and the like that a logger puts first. Frames keep their indentation. */
function withoutPrefix(line: string): string {
  // Only these characters begin a prefix, and most lines begin with others.
  if (!/^[[\dA-Z]/.test(line)) return line;
  for (const { match, hasLevel = false } of PREFIXES) {
    const found = match.exec(line);
    if (found === null) continue;
    const rest = line.slice(found[0].length);
    return hasLevel ? rest.replace(BRACKETED, '').replace(BARE, '') : rest;
  }
  return line.replace(BRACKETED, '');
}
