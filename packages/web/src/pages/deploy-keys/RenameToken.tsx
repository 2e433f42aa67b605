// The form that renames an upload token.
import { LIMITS } from '@chauffeur/contract/limits';
import { Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogButtons } from '../../ui/DialogButtons.tsx';
import { Problem } from '../../ui/Problem.tsx';
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
    <Dialog title={`Rename "${token.name}"`} onClose={onClose}>
      <form
        aria-label="Rename the token"
        onSubmit={(event) => {
          event.preventDefault();
          onRename(name);
        }}
      >
        <Stack gap="md">
          <TextInput
            data-field="name"
            label="Name"
            required
            maxLength={LIMITS.uploadTokenNameLength}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {error !== null && <Problem error={error} />}
          <DialogButtons submitLabel="Rename" isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
