// Lets open pages know that something about a game has changed, in all processes (docs/adr/0028-live-pages.md). A
// process records its changes a few times a second in one statement. As long as it has open pages, it reads once a
// second what has changed, in one query whatever their number.
import type { Context } from '../context.ts';
import { SECOND } from '../kernel/clock.ts';
import type { ChangeTopic } from './change-topics.ts';
import { findGamesBySlug, insertGameChanges, listGameChanges } from './game-changes.sql.ts';
import { perContext } from './per-context.ts';

const FLUSH_MS = 300;
/** A change that was recorded this long ago is still read, in case it was committed late. */
const WINDOW_SECONDS = 10;
/** After a pause that is longer, such as a restart of the database, changes may have been missed. */
const MAX_PAUSE_MS = 8 * SECOND;
/** Beyond that, pages learn of a change when they ask again by themselves. */
const MAX_NOTED = 10_000;

type Subscription = {
  readonly topics: ReadonlySet<ChangeTopic>;
  readonly onChange: (topics: readonly ChangeTopic[]) => void;
};

type State = {
  /** Entries are `topic reference`, with a game's uid or slug. */
  readonly noted: Set<string>;
  flushTimer: NodeJS.Timeout | undefined;
  pollTimer: NodeJS.Timeout | undefined;
  readonly subscriptions: Map<string, Set<Subscription>>;
  /** The version of each change of the last poll. */
  versions: ReadonlyMap<string, string>;
  polledAt: number;
  /** The query that runs now. */
  working: Promise<void> | undefined;
  isStopped: boolean;
  isFailing: boolean;
};

const stateOf = perContext(
  (): State => ({
    noted: new Set(),
    flushTimer: undefined,
    pollTimer: undefined,
    subscriptions: new Map(),
    versions: new Map(),
    polledAt: 0,
    working: undefined,
    isStopped: false,
    isFailing: false,
  }),
);

/** Called after the change was committed. `game` is its uid or slug. Never throws. */
export function noteChange(ctx: Context, game: string, topic: ChangeTopic): void {
  const state = stateOf(ctx);
  if (state.isStopped || state.noted.size >= MAX_NOTED) return;
  state.noted.add(`${topic} ${game.toLowerCase()}`);
  if (state.flushTimer !== undefined) return;
  state.flushTimer = setTimeout(() => {
    state.flushTimer = undefined;
    void attempt(ctx, state, () => flush(ctx, state));
  }, FLUSH_MS);
  state.flushTimer.unref();
}

/**
 * Calls `onChange` with the topics that have changed, at most once a second, until the returned function is called.
 * Begins with topics that changed in the last ten seconds, so that a page need not load again what it has just loaded.
 */
export function watchChanges(ctx: Context, gameId: string, subscription: Subscription): () => void {
  const state = stateOf(ctx);
  const { subscriptions } = state;
  const own = subscriptions.getOrInsertComputed(gameId, () => new Set());
  own.add(subscription);
  if (state.pollTimer === undefined) startPolling(ctx, state);
  const recent = [...subscription.topics].filter((topic) => state.versions.has(keyOf({ game_id: gameId, topic })));
  if (recent.length > 0) subscription.onChange(recent);
  return () => {
    own.delete(subscription);
    if (own.size === 0) subscriptions.delete(gameId);
    if (subscriptions.size > 0) return;
    clearInterval(state.pollTimer);
    state.pollTimer = undefined;
  };
}

/** Records what was noted, and ends all queries. */
export async function stopChanges(ctx: Context): Promise<void> {
  const state = stateOf(ctx);
  state.isStopped = true;
  clearTimeout(state.flushTimer);
  clearInterval(state.pollTimer);
  await state.working;
  await attempt(ctx, state, () => flush(ctx, state));
}

function startPolling(ctx: Context, state: State): void {
  state.polledAt = Date.now();
  state.versions = new Map();
  state.pollTimer = setInterval(() => {
    state.working ??= attempt(ctx, state, () => poll(ctx, state)).finally(() => {
      state.working = undefined;
    });
  }, SECOND);
  state.pollTimer.unref();
}

/** Pages ask again by themselves from time to time, so a failure only delays what they show. */
async function attempt(ctx: Context, state: State, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    state.isFailing = false;
  } catch (err) {
    if (!state.isFailing) ctx.log.warn({ err }, 'open pages do not learn of changes');
    state.isFailing = true;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function flush({ db }: Context, state: State): Promise<void> {
  const noted = [...state.noted].map((text) => text.split(' ') as [ChangeTopic, string]);
  state.noted.clear();
  const slugs = [...new Set(noted.map(([, game]) => game))].filter((game) => !UUID.test(game));
  const games = new Map(
    (slugs.length === 0 ? [] : await findGamesBySlug(db, slugs)).map((row) => [row.slug, row.game_id]),
  );
  const changes = noted.flatMap(([topic, game]) => {
    const gameId = UUID.test(game) ? game : games.get(game);
    return gameId === undefined ? [] : [`${gameId} ${topic}`];
  });
  // A game may have been named by its uid and by its slug.
  const distinct = [...new Set(changes)].map((text) => text.split(' ') as [string, string]);
  if (distinct.length > 0)
    await insertGameChanges(
      db,
      distinct.map(([game_id, topic]) => ({ game_id, topic })),
    );
}

async function poll({ db }: Context, state: State): Promise<void> {
  const changes = await listGameChanges(db, WINDOW_SECONDS);
  const wasPaused = Date.now() - state.polledAt > MAX_PAUSE_MS;
  state.polledAt = Date.now();
  const fresh = changes.filter((change) => state.versions.get(keyOf(change)) !== change.version);
  state.versions = new Map(changes.map((change) => [keyOf(change), change.version]));
  if (wasPaused) return tellAll(state);
  for (const [gameId, rows] of Map.groupBy(fresh, ({ game_id }) => game_id))
    tell(state.subscriptions.get(gameId), new Set(rows.map(({ topic }) => topic)));
}

function keyOf({ game_id, topic }: { game_id: string; topic: string }): string {
  return `${game_id} ${topic}`;
}

function tell(subscriptions: Iterable<Subscription> | undefined, changed: ReadonlySet<string>): void {
  for (const { topics, onChange } of subscriptions ?? []) {
    const relevant = [...topics].filter((topic) => changed.has(topic));
    if (relevant.length > 0) onChange(relevant);
  }
}

function tellAll({ subscriptions }: State): void {
  for (const { topics, onChange } of [...subscriptions.values()].flatMap((each) => [...each])) onChange([...topics]);
}
