// Reads what CrashContext.runtime-xml says of a crash: flat elements by their names, without an XML parser and what such may be made to do.
import type { CrashFacts } from '../accept.ts';
import { factsOf } from '../forms/facts.ts';

/** Kept in the metadata under their own names. Ids of the player and of the machine are not among them. */
const KEPT = [
  'CrashGUID',
  'CrashType',
  'BuildConfiguration',
  'EngineMode',
  'PlatformFullName',
  'SecondsSinceStart',
  'IsEnsure',
  'IsAssert',
  'IsOOM',
] as const;

/** Platforms as the engine names them, such as `WindowsNoEditor` or `LinuxServer`, by their beginnings. */
const PLATFORMS = ['windows', 'win', 'mac', 'linux', 'android', 'ios'];

/** The facts of a crash; where `xml` does not say it, the build’s own version, system and processor count. */
export function factsOfContext(xml: string, omissions: readonly string[]): CrashFacts {
  const platform = elementOf(xml, 'PlatformName');
  const known = PLATFORMS.find((name) => platform.toLowerCase().startsWith(name));
  const further = KEPT.map((name) => [name, elementOf(xml, name)] as const).filter(([, value]) => value !== '');
  return factsOf({
    // The engine puts its own name before the game’s: `UE4-Racer`.
    app_name: elementOf(xml, 'GameName').replace(/^UE\d?-/, ''),
    engine_version: elementOf(xml, 'EngineVersion'),
    os: known ?? platform,
    message: elementOf(xml, 'ErrorMessage'),
    user_message: elementOf(xml, 'UserDescription'),
    further,
    omissions,
  });
}

/** The text of the first `<name>`; empty where there is none or it holds other elements. */
export function elementOf(xml: string, name: string): string {
  const start = xml.indexOf(`<${name}>`);
  if (start < 0) return '';
  const from = start + name.length + 2;
  const end = xml.indexOf('<', from);
  return end < 0 || !xml.startsWith(`</${name}>`, end) ? '' : unescapeText(xml.slice(from, end)).trim();
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The five entities that XML has without a declaration, and characters by number (XML 1.0, sections 4.1 and 4.6). */
function unescapeText(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
