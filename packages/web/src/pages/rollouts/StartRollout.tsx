// The dialog that starts a rollout of a version: the channel, the steps and the guards, and what they mean.
import { describeRollout } from '@chauffeur/contract/consequences';
import { formatPlatform } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import { listChannels } from '@chauffeur/contract/operations/channels';
import { listVersions } from '@chauffeur/contract/operations/versions';
import {
  DEFAULT_MIN_DEVICES,
  DEFAULT_STEPS,
  GUARD_NAMES,
  GUARD_TITLES,
  type GuardName,
  MAX_TOLERANCE,
  parseSteps,
  writeSteps,
} from '@chauffeur/contract/rollout-plan';
import { Checkbox, NativeSelect, NumberInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Consequences } from '../../ui/PageLayout.tsx';
import { ChannelInput } from '../channels/ChannelInput.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { useStartRollout } from './use-rollouts.ts';

type StartRolloutProps = {
  game: OpenGame;
  /** Undefined to choose one. */
  version?: string;
  onClose: () => void;
  onStarted: (rolloutId: string) => void;
};

const ACTIONS = [
  { value: 'pause', label: 'Pause the rollout' },
  { value: 'abort', label: 'Abort the rollout' },
] as const;

/** Explains a tolerance with an example. */
function describeTolerance(tolerance: number): string {
  if (tolerance === 0)
    return 'How much worse the version may be. With 0, a guard acts on any difference that is not chance.';
  const accepted = Number(Math.max(0, 99 - tolerance).toFixed(3));
  return `If 99% of the other devices don't crash, a guard accepts ${accepted}% for the version.`;
}

export function StartRollout({ game, version: given, onClose, onStarted }: StartRolloutProps) {
  const [chosen, setChosen] = useState('');
  const [channel, setChannel] = useState('stable');
  const [steps, setSteps] = useState(writeSteps(DEFAULT_STEPS));
  const [guards, setGuards] = useState<string[]>([...GUARD_NAMES]);
  const [action, setAction] = useState<'pause' | 'abort'>('pause');
  const [minDevices, setMinDevices] = useState(DEFAULT_MIN_DEVICES);
  const [tolerance, setTolerance] = useState(0);
  const start = useStartRollout(game.game_uid);
  const channels = useQuery(ask(listChannels, { uid: game.game_uid }));
  const versions = useQuery({ ...ask(listVersions, { uid: game.game_uid }), enabled: given === undefined });
  const pointers = channels.data?.channels ?? [];
  const current = pointers.filter((pointer) => pointer.channel === channel && !pointer.expired);
  const offered = new Set(current.map((pointer) => pointer.version));
  const choices = (versions.data?.versions ?? []).filter(({ version }) => !offered.has(version));
  const version = given ?? (chosen || choices[0]?.version);
  const plan = parseSteps(steps);
  const problem = 'problem' in plan ? plan.problem : null;
  return (
    <FormDialog
      title={given === undefined ? 'Roll a version out' : `Roll ${given} out`}
      submitLabel="Start rollout"
      isDisabled={problem !== null || version === undefined || channels.data === undefined}
      isBusy={start.isPending}
      error={start.error ?? channels.error ?? versions.error}
      onClose={onClose}
      onSubmit={() => {
        if (version === undefined || 'problem' in plan) return;
        const settings = GUARD_NAMES.filter((guard) => guards.includes(guard)).map((guard) => ({
          ...{ guard, action, tolerance },
        }));
        start.mutate(
          { version, channel, steps: [...plan.steps], guards: settings, min_devices: minDevices },
          { onSuccess: ({ rollout_id }) => onStarted(rollout_id) },
        );
      }}
    >
      {given === undefined && (
        <NativeSelect
          data-field="version"
          label="Version"
          data={choices.map((each) => ({ value: each.version, label: each.version }))}
          value={version ?? ''}
          onChange={(event) => setChosen(event.currentTarget.value)}
          error={versions.data !== undefined && choices.length === 0 && 'No version is newer than what it offers.'}
        />
      )}
      <ChannelInput pointers={pointers} value={channel} onChange={setChannel} />
      <TextInput
        data-field="steps"
        label="Steps"
        description="Shares of the devices with their times: m for minutes, h for hours, d for days. 100% promotes the version."
        required
        value={steps}
        error={problem}
        onChange={(event) => setSteps(event.currentTarget.value)}
      />
      <Checkbox.Group
        label="Guards"
        description="Each compares the devices with the version to the other ones, over the same time."
        value={guards}
        onChange={setGuards}
      >
        <Stack gap={6} mt={8}>
          {GUARD_NAMES.map((guard: GuardName) => (
            <Checkbox key={guard} value={guard} label={GUARD_TITLES[guard]} />
          ))}
        </Stack>
      </Checkbox.Group>
      {guards.length > 0 && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
            <NativeSelect
              label="If a guard finds it worse"
              data={[...ACTIONS]}
              value={action}
              onChange={(event) => setAction(event.currentTarget.value as 'pause' | 'abort')}
            />
            <NumberInput
              data-field="min_devices"
              label="Devices on each side to decide"
              min={LIMITS.rolloutMinDevices.min}
              max={LIMITS.rolloutMinDevices.max}
              allowDecimal={false}
              value={minDevices}
              onChange={(value) => setMinDevices(Number(value))}
            />
          </SimpleGrid>
          <NumberInput
            data-field="tolerance"
            label="Tolerance in percentage points"
            description={describeTolerance(tolerance)}
            min={0}
            max={MAX_TOLERANCE}
            step={0.5}
            decimalScale={3}
            value={tolerance}
            onChange={(value) => setTolerance(Number(value))}
          />
        </>
      )}
      {guards.length === 0 && (
        <Text size="sm" c="dimmed">
          Without guards, each step begins when the time of the one before is over.
        </Text>
      )}
      {version !== undefined && 'steps' in plan && current.length > 0 && (
        <Consequences
          lines={describeRollout({
            channel,
            version,
            from: [...offered],
            steps: plan.steps,
            visibility: game.visibility,
          })}
        />
      )}
      {channels.data !== undefined && current.length === 0 && channel !== '' && (
        <Text size="sm">
          {channel} offers nothing yet on {[...new Set(pointers.map(formatPlatform))].join(', ') || 'any platform'}.
          Promote the version instead.
        </Text>
      )}
    </FormDialog>
  );
}
