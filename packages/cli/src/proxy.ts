// Sends requests through the proxy that the environment names, as other command-line tools do.
import http from 'node:http';
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

/** Makes all later requests use the proxy of the environment. Throws LocalError if its address is invalid. */
export function useProxy(env: Environment): void {
  const variables = proxyVariables(env);
  if (variables.length === 0 || !('setGlobalProxyFromEnv' in http)) return;
  try {
    const settings = Object.fromEntries(variables);
    const direct = [settings.no_proxy || settings.NO_PROXY, ...OWN_HOSTS].filter(Boolean).join(',');
    http.setGlobalProxyFromEnv({ ...settings, no_proxy: direct });
  } catch (cause) {
    const names = variables.map(([name]) => name).filter((name) => !/^no_proxy$/i.test(name));
    throw new LocalError(
      `${names.join(', ')}: is not the address of a proxy.`,
      'Use an address such as http://proxy.example.com:3128, or unset the variable.',
      { cause },
    );
  }
}
