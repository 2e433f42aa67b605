// The form that creates a personal key.
import type { InputOf } from '@chauffeur/contract/operation';
import type { createAgentKey } from '@chauffeur/contract/operations/agents';
import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ReachFields } from './ReachFields.tsx';

export type NewKey = InputOf<typeof createAgentKey>;

const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: '', label: 'Never' },
];

type CreateKeyProps = { isBusy: boolean; error: unknown; onCreate: (key: NewKey) => void; onClose: () => void };

export function CreateKey({ isBusy, error, onCreate, onClose }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [reach, setReach] = useState({ mayWrite: false, game: '' });
  const [days, setDays] = useState('90');
  return (
    <Dialog title="Create a personal key" onClose={onClose}>
      <form
        aria-label="Create a personal key"
        onSubmit={(event) => {
          event.preventDefault();
          onCreate({
            name,
            may_write: reach.mayWrite,
            ...(reach.game !== '' && { game: reach.game }),
            ...(days !== '' && { expires_in_days: Number(days) }),
          });
        }}
      >
        <Stack gap="md">
          <TextInput
            data-field="name"
            label="Name"
            description="For example, the agent or machine that will use it"
            required
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <ReachFields value={reach} onChange={setReach} />
          <NativeSelect
            data-field="expires_in_days"
            label="Expires"
            data={EXPIRIES}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
          {error != null && <Problem error={error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              Create key
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
