// The placeholders for ids in the examples of the documentation.

/** What is known of the game whose ids are filled in. Missing ids keep their placeholders. */
export type Ids = {
  readonly gameUid: string | undefined;
  readonly slug: string | undefined;
  readonly buildId: string | undefined;
};

/** A variable as each shell writes it. */
const variable = (name: string) => String.raw`\$${name}\b|\$env:${name}\b|%${name}%`;

/** Whole ids, and ids that are cut off where a line would be too long. */
const UID = new RegExp(
  `${variable('GAME_UID')}|${variable('SERVICE_GAMES_APP_ID')}|0193a7c0-1111-(?:…|[0-9a-f-]{22})`,
  'g',
);
const BUILD = new RegExp(
  `${variable('BUILD_ID')}|${variable('SERVICE_GAMES_BUILD_ID')}|0193a7c0-2222-(?:…|[0-9a-f-]{22})`,
  'g',
);
const SLUG = /(?<=\/games\/)my-game\b/g;

export function hasPlaceholder(text: string): boolean {
  return [UID, BUILD, SLUG].some((pattern) => text.search(pattern) >= 0);
}

export function fillIn(text: string, { gameUid, slug, buildId }: Ids): string {
  const filled = (before: string, pattern: RegExp, id: string | undefined) =>
    id === undefined ? before : before.replace(pattern, () => id);
  return filled(filled(filled(text, UID, gameUid), BUILD, buildId), SLUG, slug);
}
