// The steps by which a crash was grouped, as the server describes them.
import classes from './crashes.module.css';
import { TextWithCode } from './TextWithCode.tsx';

export function Explanation({ notes }: { notes: readonly string[] }) {
  return (
    <ol className={classes.notes}>
      {notes.map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two notes may be equal, and their order never changes
        <li key={index}>
          <TextWithCode text={note} />
        </li>
      ))}
    </ol>
  );
}
