// The form that creates an upload token.
import { LIMITS } from '@chauffeur/contract/limits';
import type { UploadScope } from '@chauffeur/contract/operation';
import { Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { SCOPES } from './scopes.ts';

export type NewToken = { name: string; scopes: UploadScope[]; expires_in_days: number | null };

const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: '', label: 'Never' },
];

type CreateTokenProps = {
  isBusy: boolean;
  error: Error | null;
  onCreate: (token: NewToken) => void;
  onClose: () => void;
};

export function CreateToken({ isBusy, error, onCreate, onClose }: CreateTokenProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['builds', 'symbols']);
  const [days, setDays] = useState('90');
  return (
    <FormDialog
      title="Create an upload token"
      submitLabel="Create token"
      isDisabled={scopes.length === 0}
      isBusy={isBusy}
      error={error}
      onSubmit={() => {
        const chosen = SCOPES.map(({ scope }) => scope).filter((scope) => scopes.includes(scope));
        onCreate({ name, scopes: chosen, expires_in_days: days === '' ? null : Number(days) });
      }}
      onClose={onClose}
    >
      <TextInput
        data-field="name"
        label="Name"
        description="For example, the CI system that will use it"
        required
        maxLength={LIMITS.uploadTokenNameLength}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox.Group data-field="scopes" label="Scopes" value={scopes} onChange={setScopes}>
        <Stack gap="xs" mt="xs">
          {SCOPES.map(({ scope, label, description }) => (
            <Checkbox key={scope} value={scope} label={label} description={description} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        data-field="expires_in_days"
        label="Expires"
        data={EXPIRIES}
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
