// Asks before a page is left on which a text was typed and not sent, such as a comment.
import { UnsavedWarning } from './UnsavedWarning.tsx';

type UnsentTextProps = {
  text: string;
  /** What the text is: `comment`. */
  name: string;
};

export function UnsentText({ text, name }: UnsentTextProps) {
  return (
    <UnsavedWarning isActive={text.trim() !== ''} title={`Leave without your ${name}?`} leaveLabel="Leave without it">
      {`The ${name} you typed is lost.`}
    </UnsavedWarning>
  );
}
