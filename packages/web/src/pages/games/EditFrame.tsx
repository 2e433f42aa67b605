// The frame of a game's edit pages: links to each page, next to or above the open one.
import { Link, Outlet } from '@tanstack/react-router';
import { useScrollToCurrent } from '../../frame/use-scroll-to-current.ts';
import classes from './EditFrame.module.css';
import { useGame } from './use-game.ts';

const PARTS = [
  { to: '/dev/$slug/edit/listing', name: 'Listing' },
  { to: '/dev/$slug/edit/images', name: 'Images' },
  { to: '/dev/$slug/edit/keys', name: 'Keys' },
  { to: '/dev/$slug/edit/admins', name: 'Members' },
  { to: '/dev/$slug/edit/alerts', name: 'Alerts' },
  { to: '/dev/$slug/edit/grouping', name: 'Crash grouping' },
  { to: '/dev/$slug/edit/issues', name: 'Issue tracker' },
  { to: '/dev/$slug/edit/source', name: 'Source code' },
  { to: '/dev/$slug/edit/bugs', name: 'Bug reports' },
  { to: '/dev/$slug/edit/event-files', name: 'Event files' },
  { to: '/dev/$slug/edit/audit', name: 'Audit log' },
  { to: '/dev/$slug/edit/danger', name: 'Danger zone' },
] as const;

export function EditFrame() {
  const game = useGame();
  const parts = useScrollToCurrent();
  return (
    <div className={classes.frame}>
      <nav ref={parts} className={classes.parts} aria-label="Edit">
        {PARTS.map(({ to, name }) => (
          <Link key={to} to={to} params={{ slug: game.slug }} className={classes.part}>
            {name}
          </Link>
        ))}
      </nav>
      <div className={classes.content}>
        <Outlet />
      </div>
    </div>
  );
}
