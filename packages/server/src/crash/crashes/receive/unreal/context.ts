// Reads single elements of CrashContext.runtime-xml, without an XML parser and its attack surface.
import { type CrashDetails, detailsOf } from '../forms/details.ts';

/** Elements for the metadata. Ids of the player and the machine are left out. */
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

/** Prefixes of the engine's platform names, such as `WindowsNoEditor` and `LinuxServer`. */
const PLATFORMS = ['windows', 'win', 'mac', 'linux', 'android', 'ios'];

/** The details of a crash. Version, OS and architecture that are missing are later taken from the build. */
export function detailsOfContext(xml: string, omissions: readonly string[]): CrashDetails {
  const platform = elementOf(xml, 'PlatformName');
  const os = PLATFORMS.find((name) => platform.toLowerCase().startsWith(name));
  const further = KEPT.map((name) => [name, elementOf(xml, name)] as const).filter(([, value]) => value !== '');
  return detailsOf({
    // The engine adds its own name before the game's: `UE4-Racer`.
    app_name: elementOf(xml, 'GameName').replace(/^UE\d?-/, ''),
    engine_version: elementOf(xml, 'EngineVersion'),
    os: os ?? platform,
    message: elementOf(xml, 'ErrorMessage'),
    user_message: elementOf(xml, 'UserDescription'),
    // Set by the game with FGenericCrashContext::SetGameData.
    device_uid: elementOf(xml, 'device_uid'),
    session_id: elementOf(xml, 'session_id'),
    further,
    omissions,
  });
}

/** The text of the first `<name>`; empty if there is none or it contains other elements. */
export function elementOf(xml: string, name: string): string {
  const start = xml.indexOf(`<${name}>`);
  if (start < 0) return '';
  const from = start + name.length + 2;
  const end = xml.indexOf('<', from);
  return end < 0 || !xml.startsWith(`</${name}>`, end) ? '' : unescapeText(xml.slice(from, end)).trim();
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Decodes the predefined entities and character references (XML 1.0, sections 4.1 and 4.6). */
function unescapeText(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
