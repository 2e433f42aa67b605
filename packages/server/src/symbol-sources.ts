// The symbol servers that the operator names in CHAUFFEUR_SYMBOL_SOURCES.

/** A symbol server, and how its files are named. */
export type SymbolSource = {
  readonly kind: SymbolSourceKind;
  /** Ends with a slash, and has neither a user nor a password. */
  readonly url: string;
  /** The `Authorization` header, if the address has a user and a password. */
  readonly authorization: string | undefined;
};

/** The layouts of symbol servers, by the word before the `+` of an address. */
const SYMBOL_SOURCE_KINDS = ['breakpad', 'debuginfod', 'microsoft'] as const;
type SymbolSourceKind = (typeof SYMBOL_SOURCE_KINDS)[number];
const MAX_SYMBOL_SOURCES = 16;

/**
 * Reads addresses such as `breakpad+https://symbols.example.com`, in the order in which they are asked. Throws an error
 * that says what to write instead.
 */
export function readSymbolSources(text: string): readonly SymbolSource[] {
  const sources = text
    .split(/[\s,]+/)
    .filter((address) => address !== '')
    .map(readSymbolSource);
  if (sources.length > MAX_SYMBOL_SOURCES) throw new Error(`use at most ${MAX_SYMBOL_SOURCES} addresses`);
  if (new Set(sources.map(nameOfSource)).size < sources.length) throw new Error('use each address once');
  return sources;
}

/** How a source is named in the database and for operators: its address without credentials. */
export function nameOfSource({ kind, url }: Pick<SymbolSource, 'kind' | 'url'>): string {
  return `${kind}+${url}`;
}

/** Addresses may contain a password, so they are not repeated in messages. */
function readSymbolSource(address: string): SymbolSource {
  const [, kind = '', rest = ''] = /^([a-z]+)\+(https?:.*)$/i.exec(address) ?? [];
  const known = SYMBOL_SOURCE_KINDS.find((candidate) => candidate === kind.toLowerCase());
  if (known === undefined || !URL.canParse(rest))
    throw new Error(`use addresses such as ${formatKinds()}, separated by spaces or commas`);
  const url = new URL(rest);
  const { username, password, search, hash } = url;
  if (search + hash !== '') throw new Error('use addresses without a query');
  url.username = '';
  url.password = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  const credentials = `${decodeCredential(username)}:${decodeCredential(password)}`;
  return {
    kind: known,
    url: url.href,
    authorization: username + password === '' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

function decodeCredential(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('percent-encode characters such as %, @ and : in the user and the password');
  }
}

function formatKinds(): string {
  return SYMBOL_SOURCE_KINDS.map((kind) => `${kind}+https://symbols.example.com`).join(' or ');
}
