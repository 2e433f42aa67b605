// The command palette: a search field over a list of pages and actions. It is open while it is rendered.
import { formatPlatform } from '@chauffeur/contract/format';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { promoteBuild } from '@chauffeur/contract/operations/channels';
import { getGame, listGames } from '@chauffeur/contract/operations/games';
import { listVersions } from '@chauffeur/contract/operations/versions';
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { ask } from '../../api.ts';
import { SETTINGS_PARTS } from '../../pages/games/settings-parts.ts';
import { session } from '../../session.ts';
import { GameTile } from '../../ui/GameTile.tsx';
import { mayCall } from '../../ui/Permitted.tsx';
import { openPath } from '../../ui/SiteLink.tsx';
import classes from './CommandPalette.module.css';
import { findItems, listItems, type PaletteItem, searchItems } from './palette-items.ts';

const MAX_BUILDS = 100;
const MAX_VERSIONS = 20;

type CommandPaletteProps = {
  /** What was typed while the palette was loading. */
  typed: () => string;
  onClose: () => void;
};

export function CommandPalette({ typed, onClose }: CommandPaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const router = useRouter();
  const switchTheme = useThemeSwitch();
  const [query, setQuery] = useState(typed);
  const [isPromoting, setPromoting] = useState(false);
  const [selected, setSelected] = useState(0);
  const items = usePaletteItems(query, isPromoting);
  const at = Math.min(selected, items.length - 1);
  const current = items[at];

  // This runs before the element is removed, so that the browser returns the focus to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  useEffect(() => {
    if (current !== undefined) document.getElementById(optionId(listId, current))?.scrollIntoView({ block: 'nearest' });
  }, [current, listId]);

  const search = (text: string) => {
    setQuery(text);
    setSelected(0);
  };
  const choose = (item: PaletteItem) => {
    if (item.kind === 'promote') {
      setPromoting(true);
      return search('');
    }
    onClose();
    if (item.kind === 'theme') switchTheme();
    else void openPath(router, item.href);
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = Math.max(0, items.length - 1);
    const moves: Record<string, () => void> = {
      ArrowDown: () => setSelected(at >= last ? 0 : at + 1),
      ArrowUp: () => setSelected(at <= 0 ? last : at - 1),
      PageDown: () => setSelected(Math.min(last, at + 8)),
      PageUp: () => setSelected(Math.max(0, at - 8)),
      Enter: () => current !== undefined && choose(current),
    };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      move();
    } else if (event.key === 'Backspace' && query === '' && isPromoting) setPromoting(false);
  };
  const label = isPromoting ? 'Build to promote' : 'Search pages and actions';
  return (
    <dialog
      ref={dialog}
      className={classes.palette}
      aria-label="Command palette"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <input
        className={classes.search}
        type="text"
        role="combobox"
        aria-label={label}
        placeholder={label}
        aria-expanded={items.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : optionId(listId, current)}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={query}
        onChange={({ currentTarget }) => search(currentTarget.value)}
        onKeyDown={press}
      />
      <div id={listId} role="listbox" aria-label="Results" className={classes.list}>
        {[...Map.groupBy(items, ({ group }) => group)].map(([group, members]) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options is not a fieldset
          <div key={group} role="group" aria-label={group}>
            <div className={classes.group} aria-hidden="true">
              {group}
            </div>
            {members.map((item) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
              <div
                key={item.id}
                id={optionId(listId, item)}
                role="option"
                tabIndex={-1}
                aria-selected={item === current}
                className={classes.option}
                onPointerMove={() => setSelected(items.indexOf(item))}
                onClick={() => choose(item)}
              >
                {item.game !== undefined && <GameTile game={item.game} height={22} />}
                {item.name}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p role="status" className={classes.none}>
        {items.length === 0 && (isPromoting ? 'No build is ready.' : 'Nothing found.')}
      </p>
    </dialog>
  );
}

function optionId(listId: string, { id }: PaletteItem): string {
  return `${listId}${id}`;
}

/** What matches the query, in the order in which it is shown. */
function usePaletteItems(query: string, isPromoting: boolean): PaletteItem[] {
  const slug = useRouterState({ select: ({ matches }) => slugOf(matches.at(-1)?.params ?? {}) });
  const { data: person } = useQuery(session);
  const isSignedIn = person != null;
  const { data: open } = useQuery({ ...ask(getGame, { uid: slug ?? '' }), enabled: slug !== undefined && isSignedIn });
  const { data: games } = useQuery({ ...ask(listGames, {}), enabled: isSignedIn });
  const { data: ready } = useQuery({
    ...ask(listGameBuilds, { uid: open?.game_uid ?? '', state: 'ready', page_size: MAX_BUILDS }),
    enabled: isPromoting && open !== undefined,
  });
  const { data: versions } = useQuery({
    ...ask(listVersions, { uid: open?.game_uid ?? '', limit: MAX_VERSIONS }),
    enabled: open !== undefined,
  });
  const game =
    open === undefined
      ? null
      : {
          slug: open.slug,
          name: open.name,
          settingsPages: SETTINGS_PARTS.filter(({ read }) => mayCall(open.role, read)),
          mayPromote: mayCall(open.role, promoteBuild),
          versions: versions?.versions.map(({ version }) => version) ?? [],
        };
  if (isPromoting) {
    const builds = ready?.builds.map((build): PaletteItem => {
      const href = `/dev/${game?.slug}/builds/${build.build_id}?promote=1`;
      const name = `${build.version} for ${formatPlatform(build)}`;
      return { kind: 'page', id: href, href, name, group: 'Builds', words: build.title };
    });
    return findItems(builds ?? [], query);
  }
  const isOperator = person?.operator === true;
  const items = listItems({ game, games: games?.games ?? [], isSignedIn, isOperator });
  return [...findItems(items, query), ...searchItems(query, game)];
}

/** Returns the slug of the game that the page is about. */
function slugOf(params: { slug?: string }): string | undefined {
  return params.slug;
}

function useThemeSwitch(): () => void {
  const { setColorScheme } = useMantineColorScheme();
  const shown = useComputedColorScheme();
  return () => setColorScheme(shown === 'dark' ? 'light' : 'dark');
}
