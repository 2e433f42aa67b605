// Decides why a text isn't the id of a build of a game, and what its developer can do: an ordered list of named rules,
// of which the first that applies decides.
import { isUuid } from '../../kernel/secrets/ids.ts';

export type Diagnosis = { readonly cause: RefusalCause; readonly problem: string; readonly advice: string };

type RefusalCause =
  | 'missing'
  | 'empty'
  | 'placeholder'
  | 'game_id'
  | 'version'
  | 'exists'
  | 'deleted'
  | 'other_game'
  | 'truncated'
  | 'unknown';

/** What the database knows about the texts that were sent. Ids are in lower case. */
export type RefFacts = {
  readonly gameUid: string;
  readonly slug: string;
  readonly versions: ReadonlySet<string>;
  readonly builds: ReadonlySet<string>;
  readonly deleted: ReadonlyMap<string, { readonly version: string; readonly day: string }>;
  /** The ids that are builds of other games of the same owner. */
  readonly elsewhere: ReadonlySet<string>;
};

type Rule = {
  readonly cause: RefusalCause;
  readonly applies: (ref: string, facts: RefFacts) => boolean;
  /** Continues “… came with the build ID X: ”. */
  readonly problem: string | ((ref: string, facts: RefFacts) => string);
  readonly advice: string;
};

const WRITE_ID =
  'Run `chauffeur build --write <file>` before the game is compiled, and let the game read the ID from that file.';
const ZERO_UUID = '00000000-0000-0000-0000-000000000000';
const NO_VALUES: ReadonlySet<string> = new Set(['null', 'nil', 'none', 'undefined', 'nan', 'n/a', '0', '-', ZERO_UUID]);
const VERSION = /^v?\d{1,5}(?:\.\d{1,5}){1,4}(?:[-+.][\w.+-]*)?$/i;
/** The start of a uid, with or without its hyphens, or the hash of a commit. */
const PART_OF_UUID = /^[0-9a-f]{7,8}(?:-[0-9a-f-]{0,27})?$|^[0-9a-f]{9,40}$/i;

/** What templates and shells replace, and the words that guides write instead of an id. */
const PLACEHOLDERS: readonly RegExp[] = [
  /^[$%@#]/,
  /^\{.*\}$/,
  /^<.*>$/,
  /^\[.*\]$/,
  /^\(.*\)$/,
  /^__.*__$/,
  /^(?:\.{2,}|…)$/,
  /^x+(?:-x+)*$/i,
  /^(?:to-?do|change-?me|replace-?me|example|test|placeholder|id|uid|uuid|guid|b)$/i,
  /^[a-z_ -]*build[_ -]?(?:id|uid|uuid|guid|ref)?(?:[_ -]?here)?$/i,
];

const RULES: readonly Rule[] = [
  {
    cause: 'missing',
    applies: (ref) => ref === '',
    problem: 'the ID is missing',
    advice: `Send it in X-Build-Id, or as build_id. ${WRITE_ID}`,
  },
  {
    cause: 'empty',
    applies: (ref) => NO_VALUES.has(ref.toLowerCase()),
    problem: 'the variable that it comes from has no value',
    advice: WRITE_ID,
  },
  {
    cause: 'placeholder',
    applies: (ref) => PLACEHOLDERS.some((pattern) => pattern.test(ref)),
    problem: 'it was never replaced',
    advice: WRITE_ID,
  },
  {
    cause: 'game_id',
    applies: (ref, { gameUid, slug }) => ref.toLowerCase() === gameUid || ref.toLowerCase() === slug,
    problem: 'it is the ID of the game, not of a build',
    advice: `Send the game in X-App-Id and the build in X-Build-Id. ${WRITE_ID}`,
  },
  {
    cause: 'version',
    applies: (ref, { versions }) => versions.has(ref) || VERSION.test(ref),
    problem: 'it is a version, not an ID',
    advice: `A version can have builds for several platforms, so reports need the ID of one. ${WRITE_ID}`,
  },
  {
    cause: 'exists',
    applies: (ref, { builds }) => builds.has(ref.toLowerCase()),
    problem: 'it was unknown at that time, and is known now',
    advice: 'Nothing needs to be done.',
  },
  {
    cause: 'deleted',
    applies: (ref, { deleted }) => deleted.has(ref.toLowerCase()),
    problem: (ref, { deleted }) => {
      const { version, day } = deleted.get(ref.toLowerCase())!;
      return `its build, ${version}, was deleted on ${day}`;
    },
    advice: 'Players still have this build. Ship an update to them; what this build sends stays refused.',
  },
  {
    cause: 'other_game',
    applies: (ref, { elsewhere }) => elsewhere.has(ref.toLowerCase()),
    problem: 'it is a build of another game',
    advice: `Check which game the build was registered for. ${WRITE_ID}`,
  },
  {
    cause: 'truncated',
    applies: (ref) => !isUuid(ref) && PART_OF_UUID.test(ref),
    problem: 'it is only a part of an ID, or a commit',
    advice: `A build ID has 36 characters. ${WRITE_ID}`,
  },
  { cause: 'unknown', applies: () => true, problem: 'the game has no such build', advice: WRITE_ID },
];

export function diagnose(ref: string, facts: RefFacts): Diagnosis {
  const bare = ref.trim().replace(/^(["'`])(.*)\1$/, '$2');
  const { cause, problem, advice } = RULES.find(({ applies }) => applies(bare, facts))!;
  return { cause, problem: typeof problem === 'string' ? problem : problem(bare, facts), advice };
}
