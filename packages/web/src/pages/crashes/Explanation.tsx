// The lines that tell how a signature came about.
import classes from './crashes.module.css';
import { Marked } from './Marked.tsx';

export function Explanation({ notes }: { notes: readonly string[] }) {
  return (
    <ol className={classes.notes}>
      {notes.map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two decisions may be told alike, and none ever moves
        <li key={index}>
          <Marked text={note} />
        </li>
      ))}
    </ol>
  );
}
