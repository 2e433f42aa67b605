// Decides which views of a page count, and what is kept of the visitor: their OS, and the host of the website they came
// from.
import { readMachine } from '@chauffeur/contract/machine';

type Headers = { readonly [name: string]: string | string[] | undefined };

/** How the user agents of browsers begin. Other programs begin with their name: `curl/8.5.0`. */
const BROWSER = /^(?:Mozilla|Opera|Lynx|w3m|E?Links)\b/;
/**
 * Programs that take the user agent of a browser and add what they are, usually as `(compatible; …)`, which of the
 * browsers only Internet Explorer used.
 */
const PROGRAM =
  /bot|crawl|spider|slurp|preview|scan|monitor|headless|lighthouse|pagespeed|gtmetrix|external|http|curl|wget|python|go-|node|fetch|feed|archive|compatible; (?!MSIE)|google-|googleother|mediapartners|gpt|claude|perplexity|pingdom|statuscake|health|probe|puppeteer|playwright|phantomjs|selenium|cypress|wappalyzer|favicon|validator|whatsapp|telegram|embedly|iframely/i;
const HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;
const MAX_HOST_LENGTH = 100;

/** Whether a person opened the page: not a program, a page loaded ahead, or a part loaded by a script. */
export function isPerson({ method, headers }: { readonly method: string; readonly headers: Headers }): boolean {
  const agent = textOf(headers['user-agent']);
  if (method !== 'GET' || !BROWSER.test(agent) || PROGRAM.test(agent)) return false;
  if (/prefetch|prerender/i.test(textOf(headers['sec-purpose']) + textOf(headers.purpose))) return false;
  return ['', 'document'].includes(textOf(headers['sec-fetch-dest']));
}

/** The OS of the visitor; '' if it isn't known. */
export function osOfVisitor(headers: Headers): string {
  return readMachine({ userAgent: textOf(headers['user-agent']), touchPoints: 0 }).os ?? '';
}

/** The host of the website in `Referer`, as `otherHost`. */
export function referrerOf(headers: Headers, ownHost: string): string {
  return otherHost(textOf(headers.referer), ownHost);
}

/** Whether `Referer` is a page of this site. */
export function isOwnAddress(headers: Headers, ownHost: string): boolean {
  return URL.parse(textOf(headers.referer))?.hostname === ownHost;
}

/**
 * The host of an address without `www.`; '' for an address of this site, or without a host of at least two labels, as
 * on a local network.
 */
export function otherHost(address: string, ownHost: string): string {
  const host = URL.parse(address)?.hostname.replace(/^www\./, '') ?? '';
  if (host === ownHost || host.length > MAX_HOST_LENGTH || !HOST.test(host)) return '';
  return host;
}

function textOf(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}
