// The form that renames an upload token.
import { LIMITS } from '@chauffeur/contract/limits';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../../ui/FormDialog.tsx';
import type { Token } from './token-columns.tsx';

type RenameTokenProps = {
  token: Token;
  isBusy: boolean;
  error: Error | null;
  onRename: (name: string) => void;
  onClose: () => void;
};

export function RenameToken({ token, isBusy, error, onRename, onClose }: RenameTokenProps) {
  const [name, setName] = useState(token.name);
  return (
    <FormDialog
      title={`Rename "${token.name}"`}
      submitLabel="Rename"
      isBusy={isBusy}
      error={error}
      onSubmit={() => onRename(name)}
      onClose={onClose}
    >
      <TextInput
        data-field="name"
        label="Name"
        required
        maxLength={LIMITS.uploadTokenNameLength}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
