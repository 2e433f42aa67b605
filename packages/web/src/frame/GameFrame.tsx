// What stands around the pages of one game: which game, its sections, and the keys that lead there.
import { ActionIcon, Group, Kbd, Stack, Table, Text } from '@mantine/core';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useGame } from '../pages/games/use-game.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { SiteLink } from '../ui/SiteLink.tsx';
import { StateBadge } from '../ui/StateBadge.tsx';
import { VISIBILITIES } from '../ui/states.ts';
import classes from './GameFrame.module.css';
import { GameSwitcher } from './GameSwitcher.tsx';
import type { Shortcut } from './shortcuts.ts';
import { useOpenInSight } from './use-open-in-sight.ts';
import { focusSearch, moveAmongRows, useShortcuts } from './use-shortcuts.ts';

const SECTIONS = [
  { to: '/dev/$slug', name: 'Overview', key: 'o', exact: true },
  { to: '/dev/$slug/builds', name: 'Builds', key: 'b', exact: false },
  { to: '/dev/$slug/channels', name: 'Channels', key: 'c', exact: false },
  { to: '/dev/$slug/crashes', name: 'Crashes', key: 'x', exact: false },
  { to: '/dev/$slug/bugs', name: 'Bugs', key: 'u', exact: false },
  { to: '/dev/$slug/health', name: 'Health', key: 'h', exact: false },
  { to: '/dev/$slug/events', name: 'Events', key: 'v', exact: false },
  { to: '/dev/$slug/edit', name: 'Edit', key: 'e', exact: false },
] as const;

const SHORTCUTS: readonly Shortcut[] = [
  { name: 'search', keys: ['/'], says: 'Search this list' },
  { name: 'down', keys: ['j'], says: 'Next row; Enter opens it' },
  { name: 'up', keys: ['k'], says: 'Row before' },
  ...SECTIONS.map(({ to, name, key }) => ({ name: to, keys: ['g', key], says: `Go to ${name.toLowerCase()}` })),
  { name: 'help', keys: ['?'], says: 'Show these keys' },
];

export function GameFrame() {
  const game = useGame();
  const navigate = useNavigate();
  const [helps, setHelps] = useState(false);
  const sections = useOpenInSight();
  useShortcuts(SHORTCUTS, (name) => {
    if (name === 'search') return focusSearch();
    if (name === 'down') return moveAmongRows(1);
    if (name === 'up') return moveAmongRows(-1);
    if (name === 'help') return setHelps(true);
    void navigate({ to: name, params: { slug: game.slug } });
  });
  return (
    <Stack gap="lg">
      <div>
        <Group justify="space-between" wrap="nowrap" mb={4}>
          <Group gap="xs" wrap="nowrap" miw={0}>
            <GameSwitcher game={game} />
            <StateBadge tone={game.visibility === 'public' ? 'good' : 'none'}>
              {VISIBILITIES[game.visibility].word}
            </StateBadge>
          </Group>
          <Group gap="xs" wrap="nowrap" className={classes.whole}>
            <SiteLink to="/g/$uid" params={{ uid: game.slug }} size="sm">
              Game page
            </SiteLink>
            <ActionIcon variant="default" visibleFrom="sm" onClick={() => setHelps(true)} aria-label="Keyboard">
              ?
            </ActionIcon>
          </Group>
        </Group>
        <nav ref={sections} className={classes.sections} aria-label={`Sections of ${game.name}`}>
          {SECTIONS.map(({ to, name, exact }) => (
            <Link
              key={to}
              to={to}
              params={{ slug: game.slug }}
              className={classes.section}
              activeOptions={{ exact, includeSearch: false }}
            >
              {name}
            </Link>
          ))}
        </nav>
      </div>
      <Outlet />
      {helps && <ShortcutList onClose={() => setHelps(false)} />}
    </Stack>
  );
}

function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <Table withRowBorders={false}>
        <Table.Tbody>
          {SHORTCUTS.map(({ name, keys, says }) => (
            <Table.Tr key={name}>
              <Table.Td className={classes.key}>
                <Group gap={4}>
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>
                <Text size="sm">{says}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
