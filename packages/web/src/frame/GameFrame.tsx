// The frame of a game's developer pages: the game, its sections and the keyboard shortcuts.
import { ActionIcon, Anchor, Box, Button, Group, Stack, Text } from '@mantine/core';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { GAME_CHOICE, storeChoice } from '../browser.ts';
import { type OpenGame, useGame } from '../pages/games/use-game.ts';
import { Notice } from '../ui/PageLayout.tsx';
import { OwnRole } from '../ui/Permitted.tsx';
import { StateBadge } from '../ui/StateBadge.tsx';
import { VISIBILITIES } from '../ui/states.ts';
import { GameButton } from './GameButton.tsx';
import classes from './GameFrame.module.css';
import { SECTION_OF_PART, SECTIONS } from './game-sections.ts';
import { useLiveChanges } from './live-changes.ts';
import { lazyPart } from './load-code.ts';
import { PageTabs, tab } from './PageTabs.tsx';
import { openPalette, PALETTE_KEYS } from './PaletteKey.tsx';
import {
  focusSearch,
  hasRows,
  hasSearch,
  hasSelection,
  moveAmongRows,
  type Shortcut,
  selectRow,
  useShortcuts,
} from './shortcuts.ts';
import { useVisits } from './visits.ts';

const ShortcutList = lazyPart(async () => (await import('./ShortcutList.tsx')).ShortcutList);

const SHORTCUTS: readonly Shortcut[] = [
  { name: 'search', keys: ['/'], description: 'Search this list', isAvailable: hasSearch },
  { name: 'down', keys: ['j'], description: 'Next row (Enter opens it)', isAvailable: hasRows },
  { name: 'up', keys: ['k'], description: 'Previous row', isAvailable: hasRows },
  { name: 'select', keys: ['x'], description: 'Select row', isAvailable: hasSelection },
  ...SECTIONS.map(({ to, key, shortcut }) => ({ name: to, keys: ['g', key], description: shortcut })),
  // The frame of the site handles this key on every page.
  { name: 'palette', keys: PALETTE_KEYS, description: 'Search pages and actions' },
  { name: 'help', keys: ['?'], description: 'Show keyboard shortcuts' },
];

export function GameFrame() {
  const game = useGame();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const current = SECTION_OF_PART[pathname.split('/')[3] ?? ''];
  useLiveChanges(game.game_uid);
  useVisits(game.game_uid);
  useEffect(() => storeChoice(GAME_CHOICE, game.slug), [game.slug]);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useShortcuts(SHORTCUTS, (name) => {
    if (name === 'search') return focusSearch();
    if (name === 'down') return moveAmongRows(1);
    if (name === 'up') return moveAmongRows(-1);
    if (name === 'select') return selectRow();
    if (name === 'help') return setHelpOpen(true);
    void navigate({ to: name, params: { slug: game.slug } });
  });
  return (
    <Stack gap="lg">
      <div>
        <Group justify="space-between" wrap="nowrap" mb={4}>
          <Group gap="xs" wrap="nowrap" miw={0}>
            <GameSwitcher game={game} />
            {/* Phones don't show it: the name needs the room, and most games are public. */}
            <Box {...(game.visibility === 'public' && { visibleFrom: 'sm' })}>
              <StateBadge tone={game.visibility === 'public' ? 'good' : 'none'}>
                {VISIBILITIES[game.visibility].label}
              </StateBadge>
            </Box>
          </Group>
          <Group gap="xs" wrap="nowrap" className={classes.whole}>
            <Anchor href={`/g/${game.slug}`} size="sm">
              Game page
            </Anchor>
            <Button
              variant="default"
              size="compact-sm"
              visibleFrom="sm"
              title={`Search pages and actions (${PALETTE_KEYS.join(' ')})`}
              onClick={openPalette}
            >
              Go to…
            </Button>
            <ActionIcon
              variant="default"
              visibleFrom="sm"
              onClick={() => setHelpOpen(true)}
              aria-label="Keyboard shortcuts"
            >
              ?
            </ActionIcon>
          </Group>
        </Group>
        <PageTabs label={`Sections of ${game.name}`}>
          {SECTIONS.map(({ to, name, exact }) => (
            <Link
              key={to}
              to={to}
              params={{ slug: game.slug }}
              className={tab}
              activeOptions={{ exact, includeSearch: false }}
              aria-current={current === name ? 'page' : undefined}
            >
              {name}
            </Link>
          ))}
        </PageTabs>
      </div>
      {game.hidden !== null && <HiddenNotice reason={game.hidden.reason} />}
      <OwnRole value={{ of: 'game', role: game.role }}>
        <Outlet />
      </OwnRole>
      <Suspense>{isHelpOpen && <ShortcutList onClose={() => setHelpOpen(false)} />}</Suspense>
    </Stack>
  );
}

function HiddenNotice({ reason }: { reason: string }) {
  return (
    <Notice tone="bad" title="An operator has hidden the page of this game from players">
      <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
        {reason}
      </Text>
      <Text size="sm" c="dimmed">
        Fix what the reason describes, then ask the operators of this server to show the page again.
      </Text>
    </Notice>
  );
}

const GameMenu = lazyPart(async () => (await import('./GameMenu.tsx')).GameMenu);

/** Shows the current game, and switches to another one. The menu is loaded when it is first opened. */
function GameSwitcher({ game }: { game: OpenGame }) {
  const [wasOpened, setOpened] = useState(false);
  const button = <GameButton game={game} aria-haspopup="menu" onClick={() => setOpened(true)} />;
  return wasOpened ? (
    <Suspense fallback={button}>
      <GameMenu game={game} />
    </Suspense>
  ) : (
    button
  );
}
