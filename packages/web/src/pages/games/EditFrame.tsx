// The edit page of a game: its parts, beside or above the one that is open.
import { Link, Outlet } from '@tanstack/react-router';
import { useOpenInSight } from '../../frame/use-open-in-sight.ts';
import classes from './EditFrame.module.css';
import { useGame } from './use-game.ts';

const PARTS = [
  { to: '/dev/$slug/edit/listing', name: 'Listing' },
  { to: '/dev/$slug/edit/images', name: 'Images' },
  { to: '/dev/$slug/edit/keys', name: 'Deploy keys' },
  { to: '/dev/$slug/edit/admins', name: 'Admins' },
  { to: '/dev/$slug/edit/audit', name: 'Programs' },
  { to: '/dev/$slug/edit/danger', name: 'Danger zone' },
] as const;

export function EditFrame() {
  const game = useGame();
  const parts = useOpenInSight();
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
