// Asks before a page is left whose form has changes that were not saved.
import { UnsavedWarning } from './UnsavedWarning.tsx';

type UnsavedChangesProps = {
  isChanged: boolean;
  /** What the form changes: `listing`. */
  name: string;
};

export function UnsavedChanges({ isChanged, name }: UnsavedChangesProps) {
  return (
    <UnsavedWarning isActive={isChanged} title="Leave without saving?" leaveLabel="Leave without saving">
      {`Your changes to the ${name} are lost.`}
    </UnsavedWarning>
  );
}
