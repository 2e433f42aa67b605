// Names the file that a player downloads.

type NamedBuild = {
  readonly version: string;
  readonly build_type: string;
  readonly os: string;
  readonly arch: string;
};

/**
 * Such as `night-owls-1.2.0-windows-x86_64.zip`. A name that the developer chose is kept if it begins with the game's
 * slug too: players find a download by the name of the game.
 */
export function downloadNameOf(slug: string, build: NamedBuild, uploadedName: string): string {
  if (uploadedName.startsWith(slug)) return uploadedName;
  const type = build.build_type === 'game' ? [] : [build.build_type];
  const parts = [slug, ...type, nameable(build.version), build.os, build.arch];
  return `${parts.filter((part) => part !== '').join('-')}.zip`;
}

/** With only letters, digits and characters that every OS allows in names. */
function nameable(version: string): string {
  return version
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._+-]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}
