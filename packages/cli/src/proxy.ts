// Sends requests through the proxy that the environment names, as other command-line tools do.
import http from 'node:http';
import { BlockList, isIP } from 'node:net';
import { LocalError } from './failures.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Node reads these names in lowercase first. */
const NAMES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];

/** A proxy cannot reach the addresses of this machine. */
const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** The variables of the environment that name a proxy, or hosts without one. Empty if there is no proxy. */
export function proxyVariables(env: Environment): [name: string, value: string][] {
  const set = NAMES.flatMap((name): [string, string][] => (env[name] ? [[name, env[name]]] : []));
  return set.some(([name]) => !/^no_proxy$/i.test(name)) ? set : [];
}

/** Whether this Node uses the proxy. Before 24.14, Node does so only if it is started with NODE_USE_ENV_PROXY=1. */
export function canUseProxy(env: Environment): boolean {
  return 'setGlobalProxyFromEnv' in http || env.NODE_USE_ENV_PROXY === '1';
}

/** Whether this Node uses the proxy for `fetch` only. */
export function needsFetchForProxy(env: Environment): boolean {
  return proxyVariables(env).length > 0 && canUseProxy(env) && !('setGlobalProxyFromEnv' in http);
}

/**
 * Makes all later requests use the proxy of the environment, apart from those to hosts that NO_PROXY excludes. `urls` are
 * the addresses that will be requested. Throws LocalError if the address of the proxy is invalid.
 */
export function useProxy(env: Environment, urls: readonly string[]): void {
  const variables = proxyVariables(env);
  if (variables.length === 0 || !('setGlobalProxyFromEnv' in http)) return;
  try {
    const settings = Object.fromEntries(variables);
    const excluded = settings.no_proxy || settings.NO_PROXY || '';
    if (entriesOf(excluded).includes('*')) return;
    // Node knows fewer forms than other programs, so the hosts are named.
    const direct = urls.filter((url) => isExcluded(url, excluded)).map((url) => new URL(url).hostname);
    http.setGlobalProxyFromEnv({
      ...settings,
      no_proxy: [excluded, ...direct, ...OWN_HOSTS].filter(Boolean).join(','),
    });
  } catch (cause) {
    const names = variables.map(([name]) => name).filter((name) => !/^no_proxy$/i.test(name));
    throw new LocalError(
      `${names.join(', ')} is not the address of a proxy.`,
      'Use an address such as http://proxy.example.com:3128, or unset the variable.',
      { cause },
    );
  }
}

function entriesOf(excluded: string): string[] {
  return excluded
    .split(/[\s,;]+/)
    .filter((entry) => entry !== '')
    .map((entry) => entry.toLowerCase());
}

/**
 * Whether NO_PROXY excludes the host of `url`. As in curl, an entry is `*`, a domain with or without a dot or `*.` before
 * it, which includes what is below it, an address, or a range such as `10.0.0.0/8`; names can have a port.
 */
export function isExcluded(url: string, excluded: string): boolean {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const actualPort = port || (protocol === 'https:' ? '443' : '80');
  return entriesOf(excluded).some((entry) => {
    if (entry === '*') return true;
    if (entry.includes('/')) return isInRange(host, entry);
    const [, bracketed, named = '', wantedPort] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
    const name = (bracketed ?? (named || entry)).replace(/^\*?\./, '').replace(/\.$/, '');
    if (wantedPort !== undefined && wantedPort !== actualPort) return false;
    return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
  });
}

function isInRange(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.replace(/^\[|\](?=\/)/g, '').split('/');
  const family = isIP(network);
  const prefix = Number(bits);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits) || prefix > (family === 4 ? 32 : 128))
    return false;
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  list.addSubnet(network, prefix, type);
  return list.check(host, type);
}
