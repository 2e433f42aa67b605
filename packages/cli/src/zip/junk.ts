// Files that get into the folder of a build by accident, and that players should not get.
import { open } from 'node:fs/promises';
import { KIB } from '@chauffeur/contract/limits';

type JunkReason =
  | 'version control'
  | 'metadata of the OS'
  | 'not for players, as its name says'
  | 'secrets'
  | 'debug symbols'
  | 'settings of an editor'
  | 'files of the updater'
  | 'source map, which contains the source code'
  | 'crash dump'
  | 'log'
  | 'backup copy'
  | 'settings of a developer account';

type Kind = 'file' | 'folder' | 'any';

type Rule = {
  readonly reason: JunkReason;
  /** Matches the name without its folders. */
  readonly name: RegExp;
  readonly kind: Kind;
  /** Whether games never need it. Otherwise it is only named in a warning. */
  readonly isCertain: boolean;
  /** Whether the beginning of a file is that of such a file. */
  readonly confirm?: (head: Buffer) => boolean;
};

const HEAD_BYTES = 64 * KIB;

const hasPrivateKey = (head: Buffer) => /PRIVATE KEY-----|PuTTY-User-Key-File/.test(head.toString('latin1'));
const isElf = (head: Buffer) => head.toString('latin1', 0, 4) === '\x7fELF';
/**
 * The program databases of Visual C++, and the portable ones of .NET. Other programs use the extension for molecules,
 * for example.
 */
const isProgramDatabase = (head: Buffer) => /^(Microsoft C\/C\+\+|BSJB)/.test(head.toString('latin1', 0, 20));
const isBreakpad = (head: Buffer) => head.toString('latin1', 0, 7) === 'MODULE ';

const certain = (reason: JunkReason, name: RegExp, kind: Kind = 'any', confirm?: Rule['confirm']): Rule => ({
  reason,
  name,
  kind,
  isCertain: true,
  ...(confirm && { confirm }),
});
const doubtful = (reason: JunkReason, name: RegExp): Rule => ({ reason, name, kind: 'file', isCertain: false });

/** The first rule that matches decides. docs/cli.md has the same table. */
const RULES: readonly Rule[] = [
  certain('version control', /^\.(git|svn|hg|bzr|github)$/i),
  certain('version control', /^\.(gitignore|gitattributes|gitmodules|gitkeep|hgignore|gitlab-ci\.yml)$/i, 'file'),
  certain('metadata of the OS', /^(\.DS_Store|\._.+|\.AppleDouble|\.LSOverride|Icon\r|\.directory)$/i),
  certain('metadata of the OS', /^(__MACOSX|\.Spotlight-V100|\.Trashes|\.Trash-\d+|\.fseventsd)$/i, 'folder'),
  certain('metadata of the OS', /^(Thumbs\.db|ehthumbs\.db|desktop\.ini)$/i, 'file'),
  certain('metadata of the OS', /^(\$RECYCLE\.BIN|System Volume Information)$/i, 'folder'),
  certain('not for players, as its name says', /_(DoNotShip|BackUpThisFolder_.*)$/i),
  certain('secrets', /^\.env(\.(?!example$|sample$|template$|dist$).+)?$/i, 'file'),
  certain('secrets', /^(id_(rsa|dsa|ecdsa|ed25519)(_sk)?|\.npmrc|[._]netrc|\.pypirc|\.git-credentials)$/i, 'file'),
  certain('secrets', /^(export_credentials\.cfg|.+\.(p12|pfx|jks|keystore|ppk))$/i, 'file'),
  certain('secrets', /^\.(ssh|aws|gnupg)$/i, 'folder'),
  certain('secrets', /\.(pem|key|p8|asc)$/i, 'file', hasPrivateKey),
  certain('secrets', /(service.?account|firebase-adminsdk|credentials|client_secret).*\.json$/i, 'file', hasPrivateKey),
  certain('debug symbols', /\.dSYM$/i),
  certain('debug symbols', /\.pdb$/i, 'file', isProgramDatabase),
  certain('debug symbols', /\.(debug|dbg|dwo|dwp)$/i, 'file', isElf),
  certain('debug symbols', /\.sym$/i, 'file', isBreakpad),
  certain('debug symbols', /\.((dll|exe)\.mdb|ilk|iobj|ipdb)$/i, 'file'),
  certain('settings of an editor', /^\.(vs|vscode|idea|fleet|itch)$/i, 'folder'),
  certain('files of the updater', /^\.chauffeur$/i, 'folder'),
  doubtful('source map, which contains the source code', /\.(m?js|css|wasm)\.map$/i),
  doubtful('crash dump', /(\.([mh]?dmp)|^hs_err_pid\d+\.log)$/i),
  doubtful('log', /\.log$/i),
  doubtful('backup copy', /(\.(bak|orig)|~)$/i),
  doubtful('settings of a developer account', /^google-services\.json$/i),
];

/** `isCertain` is false for what a game may need. */
export type Junk = { readonly path: string; readonly reason: JunkReason; readonly isCertain: boolean };

/**
 * What a file or folder is if players should not get it, or null. `path` is its path in the folder, separated by `/`,
 * and `source` the path on disk, of which only the beginning is read, and only if the name alone doesn't decide.
 */
export async function findJunk(path: string, source: string, isFolder: boolean): Promise<Junk | null> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const kind = isFolder ? 'folder' : 'file';
  for (const rule of RULES) {
    if (!rule.name.test(name) || (rule.kind !== 'any' && rule.kind !== kind)) continue;
    if (rule.confirm !== undefined && !rule.confirm(await readHead(source))) continue;
    return { path: isFolder ? `${path}/` : path, reason: rule.reason, isCertain: rule.isCertain };
  }
  return null;
}

/**
 * Whether the signature of a macOS bundle doesn't cover a file of this name. Without any other of its files, macOS says
 * that the program is damaged.
 */
export function isUnsigned(path: string): boolean {
  return /(^|\/)(\.DS_Store|\._[^/]+)$/.test(path);
}

/** Empty if the file cannot be read, which is an error when it is zipped. */
async function readHead(source: string): Promise<Buffer> {
  try {
    await using handle = await open(source);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } catch {
    return Buffer.alloc(0);
  }
}
