// The frame of a game's edit pages: links to the pages that the person can read, next to or above the open one. It says who
// may see or change the open page if the person may not.
import { Stack } from '@mantine/core';
import { Link, Outlet, useChildMatches } from '@tanstack/react-router';
import { mayCall } from '../../frame/own-role.ts';
import { useScrollToCurrent } from '../../frame/use-scroll-to-current.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Permitted, PermittedFields } from '../../ui/Permitted.tsx';
import classes from './EditFrame.module.css';
import { EDIT_PARTS } from './edit-parts.ts';
import { useGame } from './use-game.ts';

export function EditFrame() {
  const game = useGame();
  const parts = useScrollToCurrent();
  return (
    <div className={classes.frame}>
      <nav ref={parts} className={classes.parts} aria-label="Edit">
        {EDIT_PARTS.filter(({ read }) => mayCall(game.role, read)).map(({ path, name }) => (
          <Link key={path} to={`/dev/$slug/edit/${path}`} params={{ slug: game.slug }} className={classes.part}>
            {name}
          </Link>
        ))}
      </nav>
      <div className={classes.content}>
        <Part />
      </div>
    </div>
  );
}

function Part() {
  const game = useGame();
  // Not the location, which changes before the outlet does.
  const path = useChildMatches({ select: ([open]) => open?.pathname.split('/')[4] });
  const part = EDIT_PARTS.find((each) => each.path === path);
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
