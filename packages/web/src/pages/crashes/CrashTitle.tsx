// The title of a crash group in a list.
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
