// Removes what a report says about people and machines but not about the crash, before anything of it is stored:
// credentials, command lines, environments, names of hosts and accounts, addresses, and the queries of URLs.
import { redactUserPaths } from '@chauffeur/contract/home-folders';

/**
 * Names of private fields in the data that programs add, without regard to case, `_`, `-`, `.` and spaces. `ip_address`
 * is not stored even as `{{auto}}`, which asks the server to add the address of the connection.
 */
const PRIVATE_NAMES = new RegExp(
  [
    // Command lines and environments. `environment` alone is often `production`.
    ...['(?:sys)?argv', 'args', 'command', '(?:command|cmd)line(?:args|arguments)?'],
    ...['env', 'environ', '(?:env|environment)(?:vars|variables)'],
    // Local variables, and what of a request may identify someone.
    ...['vars', 'locals', '(?:set)?cookies?', '(?:http)?query(?:string)?', '(?:http)?fragment', '(?:request)?headers'],
    // Machines.
    ...['servername', 'hostname', 'computername', 'machinename', 'nodename', 'deviceuniqueidentifier', 'deviceid'],
    ...['(?:client|remote|user)?ip(?:addr(?:ess)?)?', 'remoteaddr', 'mac(?:address)?', 'geo', 'latitude', 'longitude'],
    // Accounts.
    ...['user', '(?:os)?username', 'loginname', 'accountname', '(?:contact)?e?mail(?:address)?', 'phone(?:number)?'],
  ]
    .map((name) => `^${name}$`)
    .join('|')
    .concat(
      '|password|passwd|passphrase|^(?:client|api|app|shared)?secret(?:key)?$|authorization|credential|(?:api|access|private|auth)key|token$|^jwt$|bearer',
    ),
  'i',
);

/** Whether a field with this name is left out, whatever its value is. */
export function isPrivateName(name: string): boolean {
  return PRIVATE_NAMES.test(name.slice(0, 200).replace(/[\s_.:-]/g, ''));
}

/** What follows the path of a URL, and names before its host. Bounded, so that a text takes linear time. */
const QUERY = /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s?#"'<>]{0,2048})[?#][^\s"'<>]{0,4096}/gi;
const USER_INFO = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@?#"'<>]{1,256}@/gi;

/** Most texts have none of the folders that home folders are in, which is found out quickly. */
const HAS_HOME = /(?:home|users|settings|media)[\\/]/i;

/** A text without home folders, and with URLs without names, queries and fragments. */
export function redactText(text: string): string {
  const withoutUrls = text.includes('://') ? text.replace(USER_INFO, '$1').replace(QUERY, '$1') : text;
  return HAS_HOME.test(withoutUrls) ? redactUserPaths(withoutUrls) : withoutUrls;
}

/** A URL or path without its query, also a relative one such as `/level?user=ann`. */
export function redactAddress(address: string): string {
  if (address === '') return address;
  return redactText(address.split(/[?#]/, 1)[0]!);
}
