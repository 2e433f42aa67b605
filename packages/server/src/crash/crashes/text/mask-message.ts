// Reduces the message of an exception to what is the same whenever the same thing goes wrong.
import { baseName } from '@chauffeur/minidump/base-name';
import { maskText, toPrintable } from '@chauffeur/minidump/signature/printable';

const MAX_MESSAGE = 500;
/** Longer quoted texts are data. */
const MAX_QUOTED = 60;
const QUOTES: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '“': '”',
  '‘': '’',
  '«': '»',
  '„': '“',
};
/** GNU and old JavaScript engines open with a backtick and close with an apostrophe: `foo'. */
const APOSTROPHE = "'";

/**
 * The first line without numbers, addresses, ids, times, URLs, folders and user data. Quoted text stays if it can be the
 * name of a variable, a key, a node or a file, as two keys that are missing are two causes; its digits do not. Other
 * quoted text is data.
 */
export function maskMessage(message: string): string {
  const line = toPrintable(message.slice(0, 4 * MAX_MESSAGE).split(/[\r\n]/, 1)[0]!).slice(0, MAX_MESSAGE);
  return maskText(maskWords(maskQuoted(maskDrives(line)))).trim();
}

function maskQuoted(text: string): string {
  let out = '';
  let from = 0;
  /** Closing quotes that do not follow: each is searched once, which keeps the scan linear. */
  const missing = new Set<string>();
  for (let at = 0; at < text.length; at++) {
    const open = text[at]!;
    const close = QUOTES[open];
    // In `can't`, it is an apostrophe.
    if (close === undefined || (open === APOSTROPHE && /[\p{L}\p{N}]/u.test(text[at - 1] ?? ' '))) continue;
    const end = endOfQuote(text, at + 1, open === '`' ? ['`', APOSTROPHE] : [close], missing);
    if (end < 0) continue;
    out += text.slice(from, at + 1) + maskValue(text.slice(at + 1, end));
    from = end;
    at = end;
  }
  return out + text.slice(from);
}

function endOfQuote(text: string, from: number, closes: readonly string[], missing: Set<string>): number {
  for (const close of closes) {
    if (missing.has(close)) continue;
    const end = text.indexOf(close, from);
    if (end >= 0) return end;
    missing.add(close);
  }
  return -1;
}

/** A name, with dots, arguments or an index: `player.hp`, `take_damage()`, `items[]`, `%Sprite2D`, `World/Player`. */
const NAME = /^[@%$#&.]?[\p{L}_][\p{L}\p{N}_$.:()[\]<>%@#?!*&/-]*$/u;

function maskValue(value: string): string {
  if (value === '') return value;
  const isPath = /[\\/]/.test(value);
  const name = isPath ? baseName(value) : value;
  if (value.length > MAX_QUOTED && !isPath) return '<text>';
  if (/^https?:/i.test(value)) return '<url>';
  if (/^[^@\s]{1,64}@[^@\s]{1,100}\.\w{2,}$/.test(value)) return '<email>';
  if (isCode(value)) return value.replace(/\d+/g, '<n>');
  if (!NAME.test(name) || name.length > MAX_QUOTED) return /^-?[\d.,]+$/.test(value) ? '<n>' : '<text>';
  return isId(name) ? '<id>' : name.replace(/\d+/g, '<n>');
}

/** A condition that failed, as engines quote it: `!is_inside_tree()`, `p_index < 0`. */
function isCode(value: string): boolean {
  return /(?:[!=<>]=|&&|\|\||->|::|\(\)| [<>] |^!)/.test(value) && !/[{};"]/.test(value);
}

/** Six or more hexadecimal digits, with digits and letters: `a3f9c2d1`. */
function isId(word: string): boolean {
  return /^[0-9a-f]{6,}$/i.test(word) && /\d/.test(word) && /[a-f]/i.test(word);
}

/** Text that ends a path with spaces: nothing of this is in the name of a file. */
const PATH_END = /["'<>|*?\n,;()]/g;

/** Removes the folders of Windows paths, whose names may have spaces: `D:\My Games\Owls\save.dat` → `save.dat`. */
function maskDrives(text: string): string {
  let out = '';
  let from = 0;
  const drive = /(?<![\p{L}\p{N}])[A-Za-z]:[\\/]/gu;
  for (let match = drive.exec(text); match !== null; match = drive.exec(text)) {
    if (match.index < from) continue;
    PATH_END.lastIndex = match.index + match[0].length;
    const end = PATH_END.exec(text)?.index ?? text.length;
    const path = text.slice(match.index, end);
    const last = Math.max(path.lastIndexOf('\\'), path.indexOf('\\') < 0 ? path.lastIndexOf('/') : -1);
    out += text.slice(from, match.index);
    from = match.index + last + 1;
  }
  return out + text.slice(from);
}

/** URLs, email addresses, ids, and numbers that are a part of a word: `player_4711`, `#28991030612`. */
function maskWords(text: string): string {
  return text
    .split(' ')
    .map((word) => {
      if (/^[([<"']?(?:https?|wss?|ftp|blob):\/\//i.test(word) || /^[([<"']?blob:/i.test(word)) return '<url>';
      if (/^[^@\s]{1,64}@[^@\s]{1,100}\.\w{2,}$/.test(word)) return '<email>';
      const bare = word.replace(/^[^\p{L}\p{N}]{1,3}/u, '').replace(/[^\p{L}\p{N}]{1,3}$/u, '');
      if (isId(bare)) return word.replace(bare, '<id>');
      // Not of an address or a hash, which `maskText` recognizes as a whole.
      return /^[^\p{L}\p{N}]*(?:0x)?[0-9a-f-]+[^\p{L}\p{N}]*$/iu.test(word)
        ? word
        : word.replace(/(?<=_)\d+|(?<=\p{L})\d{3,}/gu, '<n>');
    })
    .join(' ');
}
