// The frame of a game's settings: links to the pages that the person can read, in groups, next to or above the open
// one. It says who may see or change the open page if the person may not.
import { Stack } from '@mantine/core';
import { Link, Outlet, useChildMatches } from '@tanstack/react-router';
import { useScrollToCurrent } from '../../frame/PageTabs.tsx';
import { PageHead } from '../../ui/PageLayout.tsx';
import { mayCall, Permitted, PermittedFields } from '../../ui/Permitted.tsx';
import classes from './GameSettings.module.css';
import { SETTINGS_GROUPS, SETTINGS_PARTS } from './settings-parts.ts';
import { useGame } from './use-game.ts';

export function GameSettings() {
  const parts = useScrollToCurrent();
  return (
    <div className={classes.frame}>
      <nav ref={parts} className={classes.parts} aria-label="Settings">
        {SETTINGS_GROUPS.map((group) => (
          <PartGroup key={group.name} {...group} />
        ))}
      </nav>
      <div className={classes.content}>
        <Part />
      </div>
    </div>
  );
}

function PartGroup({ name: title, parts }: (typeof SETTINGS_GROUPS)[number]) {
  const game = useGame();
  const readable = parts.filter(({ read }) => mayCall(game.role, read));
  if (readable.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of links is not a fieldset
    <div role="group" aria-label={title} className={classes.group}>
      <div className={classes.title} aria-hidden="true">
        {title}
      </div>
      {readable.map(({ path, name }) => (
        <Link key={path} to={`/dev/$slug/settings/${path}`} params={{ slug: game.slug }} className={classes.part}>
          {name}
        </Link>
      ))}
    </div>
  );
}

function Part() {
  const game = useGame();
  // The location isn't used, because it changes before the outlet does.
  const path = useChildMatches({ select: ([open]) => open?.pathname.split('/')[4] });
  const part = SETTINGS_PARTS.find((each) => each.path === path);
  if (part === undefined) return <Outlet />;
  if (!mayCall(game.role, part.read))
    return (
      <Stack gap="md">
        <PageHead title={part.name} tabTitle={`${part.name} · ${game.name}`} />
        <Permitted operation={part.read} to="see this page">
          {null}
        </Permitted>
      </Stack>
    );
  if (!('change' in part)) return <Outlet />;
  return (
    <Stack gap="md">
      <PermittedFields operation={part.change} to={part.to}>
        <Outlet />
      </PermittedFields>
    </Stack>
  );
}
