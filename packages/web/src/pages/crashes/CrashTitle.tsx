// The title of a crash group in a list, and a link with it.
import { SiteLink } from '../../ui/SiteLink.tsx';
import classes from './crashes.module.css';
import { splitTitle } from './split-title.ts';

/** A title of which the name of the function is never cut, but what is before and after it. */
export function CrashTitle({ title }: { title: string }) {
  const parts = splitTitle(title);
  if (parts === null) return title;
  return (
    <span className={classes.parts}>
      <span className={classes.around}>{parts.before}</span>
      <span className={classes.name}>{parts.name}</span>
      <span className={classes.around}>{parts.after}</span>
    </span>
  );
}

type CrashLinkProps = { slug: string; groupId: string; title: string };

/** A link to a crash group, for a cell of a table. */
export function CrashLink({ slug, groupId, title }: CrashLinkProps) {
  return (
    <div className={classes.group}>
      <SiteLink
        to="/dev/$slug/crashes/groups/$groupId"
        params={{ slug, groupId }}
        className={classes.title}
        title={title}
        // Otherwise its name would have spaces between the parts.
        aria-label={title}
      >
        <CrashTitle title={title} />
      </SiteLink>
    </div>
  );
}
