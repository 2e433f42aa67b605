// Makes pages of games work in a sandbox without an origin. Browsers treat the game's files like those of another
// website there: they refuse workers, taint images, hide errors, and throw where a game looks for its saves. So the
// page gets a script before all others, and loads the images, sounds and scripts of the game with CORS.
import { hash } from 'node:crypto';

/** Elements that can load without CORS, with the attributes that have their URLs. */
const LOADERS: Readonly<Record<string, readonly string[]>> = {
  script: ['src'],
  img: ['src', 'srcset'],
  link: ['href'],
  audio: ['src'],
  video: ['src'],
};
/** Elements whose content is text, up to their end tag. */
const TEXT_ELEMENTS = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
]);
/** Matches what may come before the first element: a byte order mark, space, comments and the doctype. */
const PROLOGUE = /^(?:\xef\xbb\xbf)?(?:\s|<!--(?:-?>|[\s\S]*?--!?>)|<!doctype[^>]*>|<\?[^>]*>)*/i;
/** Matches a comment or a start tag. */
const OPENING = /<(?:(!--)|([a-z][^\s/>]*))/gi;
/** Matches an attribute of a start tag: its name and value (HTML Standard, section 13.1.2.3). */
const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;
const UTF16 = /^(?:\xff\xfe|\xfe\xff)/;

/**
 * Returns the page with `script` in it. Both are bytes in the form of Latin-1 text, because the syntax of HTML is ASCII
 * whatever else is in the page. Takes time in proportion to the page, even if it is malformed.
 */
export function preparePage(page: string, script: string): string {
  // A page of two bytes per character has no ASCII in it.
  if (UTF16.test(page)) return page;
  const start = PROLOGUE.exec(page)?.[0].length ?? 0;
  return `${page.slice(0, start)}<script>${script}</script>${shareFiles(page.slice(start))}`;
}

/** Adds `crossorigin` to elements that load files of the game. The first of two attributes of one name counts. */
function shareFiles(page: string): string {
  const pieces: string[] = [];
  let copied = 0;
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(page); match !== null; match = OPENING.exec(page)) {
    const [, comment, tag = ''] = match;
    const name = tag.toLowerCase();
    if (comment !== undefined) {
      const end = page.indexOf('-->', match.index + 2);
      if (end < 0) break;
      OPENING.lastIndex = end;
      continue;
    }
    const nameEnd = OPENING.lastIndex;
    const { attributes, end } = readAttributes(page, nameEnd);
    // All other URLs of the page are then those of another server.
    if (name === 'base' && !isRelative(attributes.get('href') ?? '')) break;
    if (LOADERS[name]?.some((attribute) => isRelative(attributes.get(attribute)))) {
      pieces.push(page.slice(copied, nameEnd), ' crossorigin');
      copied = nameEnd;
    }
    OPENING.lastIndex = TEXT_ELEMENTS.has(name) ? findEndTag(page, name, end) : end;
  }
  return [...pieces, page.slice(copied)].join('');
}

/** The attributes of the start tag by lowercase name, and the offset at which it ends. */
function readAttributes(page: string, start: number): { attributes: ReadonlyMap<string, string>; end: number } {
  const attributes = new Map<string, string>();
  let end = start;
  ATTRIBUTE.lastIndex = start;
  for (let match = ATTRIBUTE.exec(page); match !== null; match = ATTRIBUTE.exec(page)) {
    const [, name = '', double, single, plain] = match;
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, double ?? single ?? plain ?? '');
    end = ATTRIBUTE.lastIndex;
  }
  return { attributes, end };
}

function findEndTag(page: string, name: string, start: number): number {
  const endTag = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  endTag.lastIndex = start;
  return endTag.exec(page)?.index ?? page.length;
}

/** Whether a URL is relative to the page, and so means a file of the game. */
function isRelative(url: string | undefined): boolean {
  return url !== undefined && url.trim() !== '' && !/^\s*(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(url);
}

/** The script for pages of games, which runs before any of theirs. */
export const SANDBOX_SCRIPT = `(${helpGame.toString().replaceAll(/^\s*(\/\/.*\n)?/gm, '')})();`;

/** A tag that changes with the script. */
export const SANDBOX_SCRIPT_TAG = hash('sha256', SANDBOX_SCRIPT, 'hex').slice(0, 8);

/**
 * Runs in pages and, with the URL of their script, in workers, which get it as text. So it refers to nothing outside,
 * and each of its comments takes a separate line, which is left out. `load` imports the module of a worker that is one.
 */
function helpGame(workerUrl?: string, load?: () => Promise<unknown>): void {
  const scope = globalThis as typeof globalThis & { importScripts?: (...urls: string[]) => void };
  const page = scope.document;
  const baseOf = () => workerUrl ?? page.baseURI;
  const server = new URL(baseOf()).origin;

  /** The absolute URL of a file of the game; null for everything else, such as `blob:` URLs and other servers. */
  function ownUrlOf(address: unknown): string | null {
    const url = URL.canParse(String(address), baseOf()) ? new URL(String(address), baseOf()) : null;
    return url?.origin === server && url.pathname.startsWith('/play/') ? url.href : null;
  }

  // A worker's script must have the origin of its page, which only a blob has.
  const wrappers = new Map<string, string>();
  function wrap(url: string, isModule: boolean): string {
    const key = `${isModule} ${url}`;
    const wrapper = wrappers.get(key) ?? URL.createObjectURL(new Blob([wrapperOf(url, isModule)], SCRIPT));
    wrappers.set(key, wrapper);
    return wrapper;
  }
  const SCRIPT = { type: 'text/javascript' };
  function wrapperOf(url: string, isModule: boolean): string {
    const [help, script] = [`(${helpGame})`, JSON.stringify(url)];
    // Chromium starts no module from a blob without an origin, but a script may import one.
    return isModule ? `${help}(${script}, () => import(${script}));` : `${help}(${script});importScripts(${script});`;
  }
  if (scope.Worker !== undefined) {
    scope.Worker = class extends scope.Worker {
      constructor(address: string | URL, options?: WorkerOptions) {
        const url = ownUrlOf(address);
        if (url === null) super(address, options);
        else super(wrap(url, options?.type === 'module'), { ...options, type: 'classic' });
      }
    };
  }

  // Requests with cookies need a page with an origin. The game's files need no cookies.
  const nativeFetch = scope.fetch;
  scope.fetch = (input, init) => {
    if (input instanceof Request) return nativeFetch(input, init);
    const url = ownUrlOf(input);
    return url === null || init?.credentials !== 'include'
      ? nativeFetch(url ?? input, init)
      : nativeFetch(url, { ...init, credentials: 'same-origin' });
  };
  const requests = XMLHttpRequest.prototype;
  const { open, send } = requests;
  const toOwn = new WeakSet<XMLHttpRequest>();
  requests.open = function (this: XMLHttpRequest, method: string, address: string | URL, ...rest: unknown[]) {
    const url = ownUrlOf(address);
    if (url === null) toOwn.delete(this);
    else toOwn.add(this);
    // Whether an argument is missing or undefined makes a difference.
    return Reflect.apply(open, this, [method, url ?? address, ...rest]);
  } as typeof open;
  requests.send = function (this: XMLHttpRequest, body) {
    if (toOwn.has(this)) this.withCredentials = false;
    return send.call(this, body);
  };

  if (page === undefined) helpWorker();
  else helpPage();

  /** In a worker that began with a blob, relative URLs mean nothing, and scripts of the game hide their errors. */
  function helpWorker(): void {
    Object.defineProperty(scope, 'location', { value: new URL(baseOf()), configurable: true });
    scope.Request = class extends Request {
      constructor(input: RequestInfo | URL, init?: RequestInit) {
        super(input instanceof Request ? input : (ownUrlOf(input) ?? input), init);
      }
    };
    if (load !== undefined) awaitModule(load);
    const nativeImport = scope.importScripts;
    if (nativeImport === undefined) return;
    scope.importScripts = (...addresses) => {
      for (const address of addresses) {
        const url = ownUrlOf(address);
        const copy = url === null ? null : copyOf(url);
        nativeImport.call(scope, copy ?? address);
        if (copy !== null) URL.revokeObjectURL(copy);
      }
    };
  }

  /** Holds messages until the module has run, as browsers do, because nothing listens for them before. */
  function awaitModule(run: () => Promise<unknown>): void {
    const held: MessageEvent[] = [];
    const hold = (event: MessageEvent) => {
      event.stopImmediatePropagation();
      held.push(event);
    };
    scope.addEventListener('message', hold);
    const release = () => {
      scope.removeEventListener('message', hold);
      for (const { data, ports } of held) scope.dispatchEvent(new MessageEvent('message', { data, ports: [...ports] }));
    };
    const fail = (error: unknown) => {
      // A rejection would not reach the page.
      setTimeout(() => {
        throw error;
      });
    };
    run().then(release, fail);
  }

  /** Errors in a script of another origin have no message and no stack. A copy has the worker's origin. */
  function copyOf(url: string): string {
    const request = new XMLHttpRequest();
    request.open('GET', url, false);
    request.send();
    if (request.status < 200 || request.status > 299)
      throw new DOMException(`The script at '${url}' failed to load.`, 'NetworkError');
    return URL.createObjectURL(new Blob([request.responseText, `\n//# sourceURL=${url}\n`], SCRIPT));
  }

  function helpPage(): void {
    page.currentScript?.remove();
    // With the attribute, images don't taint canvases, and errors in scripts have a message and a stack.
    share(HTMLImageElement, 'src');
    share(HTMLImageElement, 'srcset');
    share(HTMLScriptElement, 'src');
    share(HTMLLinkElement, 'href');
    share(HTMLMediaElement, 'src');
    scope.Audio = class extends scope.Audio {
      constructor(address?: string) {
        super();
        if (address !== undefined) this.src = address;
      }
    };
    lend('localStorage');
    lend('sessionStorage');
    Object.defineProperty(page, 'cookie', { get: () => '', set: () => undefined, configurable: true });
    // Games that look for it in this way do without. Without an origin, merely reading it throws.
    delete (Navigator.prototype as { serviceWorker?: unknown }).serviceWorker;
  }

  function share(kind: { prototype: Element }, name: string): void {
    const { prototype } = kind;
    const accessor = Object.getOwnPropertyDescriptor(prototype, name);
    if (accessor?.set === undefined) return;
    const { set } = accessor;
    const prepare = (element: Element, value: unknown) => {
      const [first] = String(value).trim().split(/\s/, 1);
      if (ownUrlOf(first) !== null) Element.prototype.setAttribute.call(element, 'crossorigin', 'anonymous');
    };
    Object.defineProperty(prototype, name, {
      ...accessor,
      set(this: Element, value: unknown) {
        prepare(this, value);
        set.call(this, value);
      },
    });
    const { setAttribute } = prototype;
    prototype.setAttribute = function (attribute, value) {
      if (String(attribute).toLowerCase() === name) prepare(this, value);
      setAttribute.call(this, attribute, value);
    };
  }

  /** Storage in memory, where the browser's own throws. */
  function lend(name: 'localStorage' | 'sessionStorage'): void {
    try {
      if (scope[name] !== null) return;
    } catch {
      // A page without an origin throws here.
    }
    const items = new Map<string, string>();
    const methods = {
      getItem: (key: unknown) => items.get(String(key)) ?? null,
      setItem: (key: unknown, value: unknown) => void items.set(String(key), String(value)),
      removeItem: (key: unknown) => void items.delete(String(key)),
      clear: () => items.clear(),
      key: (index: number) => [...items.keys()][index] ?? null,
    };
    const storage = new Proxy(Object.create(Storage.prototype), {
      get: (_target, key) => {
        if (key === 'length') return items.size;
        if (typeof key === 'symbol') return undefined;
        return Object.hasOwn(methods, key) ? methods[key as keyof typeof methods] : items.get(key);
      },
      set: (_target, key, value) => {
        methods.setItem(key, value);
        return true;
      },
      has: (_target, key) => items.has(String(key)),
      deleteProperty: (_target, key) => {
        methods.removeItem(key);
        return true;
      },
      ownKeys: () => [...items.keys()],
      getOwnPropertyDescriptor: (_target, key) =>
        items.has(String(key))
          ? { value: items.get(String(key)), enumerable: true, configurable: true, writable: true }
          : undefined,
    });
    Object.defineProperty(scope, name, { value: storage, configurable: true });
  }
}
