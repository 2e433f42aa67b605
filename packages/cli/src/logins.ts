// Keeps the keys of `chauffeur login` in a file that only its user can read, with one key for each server.
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { LocalError } from './failures.ts';

export type Login = {
  /** Base URL of the API, ending in `/api/v1`. The key is sent to no other server. */
  readonly url: string;
  readonly key: string;
  /** The name of the person. */
  readonly user: string;
  /** The slug of the only game of the login; null for several. */
  readonly game: string | null;
};

export type Logins = {
  /** The server of the newest login, for calls that name no server. */
  readonly defaultUrl: string | null;
  readonly all: readonly Login[];
};

export type LoginStore = {
  readonly path: string;
  /** Throws LocalError if the file is damaged, or if other users can read it. */
  read(): Logins;
  /** Replaces the login of the same server, and makes that server the default. Throws LocalError. */
  save(login: Login): void;
  /** Throws LocalError. */
  remove(url: string): void;
};

type Environment = Readonly<Record<string, string | undefined>>;

const NONE: Logins = { defaultUrl: null, all: [] };
/** Other users of the computer. */
const OTHERS = 0o077;

/** The folder where programs keep the settings of a user on this system. */
export function configFolder(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return join(env.APPDATA || join(homedir(), 'AppData', 'Roaming'), 'chauffeur');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'chauffeur');
  // A relative path is invalid (XDG Base Directory Specification).
  const { XDG_CONFIG_HOME: configured = '' } = env;
  return join(isAbsolute(configured) ? configured : join(homedir(), '.config'), 'chauffeur');
}

export function openLoginStore(folder: string): LoginStore {
  const path = join(folder, 'credentials.json');
  const read = () => readFile(path);
  return {
    path,
    read,
    save(login) {
      const others = read().all.filter(({ url }) => url !== login.url);
      write(path, { defaultUrl: login.url, all: [...others, login] });
    },
    remove(url) {
      const { defaultUrl, all } = read();
      const rest = all.filter((login) => login.url !== url);
      const [only] = rest.length === 1 ? rest : [];
      write(path, { defaultUrl: defaultUrl === url ? (only?.url ?? null) : defaultUrl, all: rest });
    },
  };
}

function readFile(path: string): Logins {
  const text = readPrivately(path);
  if (text === null) return NONE;
  const logins = parse(text);
  if (logins === null) throw new LocalError(`${path} is damaged.`, 'Delete the file, and run chauffeur login again.');
  return logins;
}

/** Null if there is no such file. The mode is read from the open file, which cannot be exchanged in between. */
function readPrivately(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new LocalError(`${path} cannot be read.`, 'Check the permissions of the file and its folder.', { cause });
  }
  try {
    // Windows has no such modes. There, the folder belongs to the user.
    if (process.platform !== 'win32' && (fstatSync(file).mode & OTHERS) !== 0)
      throw new LocalError(
        `Other users can read ${path}, which contains keys.`,
        `Run: chmod 600 '${path}'. If others may have read it, run chauffeur logout and chauffeur login.`,
      );
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function parse(text: string): Logins | null {
  try {
    const { default: defaultUrl, logins } = JSON.parse(text) as { default: unknown; logins: unknown };
    const isValid = (defaultUrl === null || isText(defaultUrl)) && Array.isArray(logins) && logins.every(isLogin);
    return isValid ? { defaultUrl, all: logins } : null;
  } catch {
    return null;
  }
}

function isLogin(value: unknown): value is Login {
  const { url, key, user, game } = (value ?? {}) as Record<string, unknown>;
  // A key is sent in a header.
  return isText(url) && isText(key) && /^[\x21-\x7e]+$/.test(key) && isText(user) && (game === null || isText(game));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Writes a new file and renames it, so that a crash leaves either the old one or the new one. */
function write(path: string, { defaultUrl, all }: Logins): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const text = JSON.stringify({ default: defaultUrl, logins: all }, null, 2);
    writeFileSync(temporary, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new LocalError(`${path} cannot be written.`, 'Check the permissions of its folder, and the free space.', {
      cause,
    });
  }
}
