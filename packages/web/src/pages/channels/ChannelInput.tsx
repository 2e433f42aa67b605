// The field in which a channel is typed or chosen, shared by the dialogs that promote and that roll out.
import { TextInput } from '@mantine/core';
import { useId } from 'react';
import { channelNames, type Pointer } from './channel-grid.ts';

type ChannelInputProps = {
  /** What the game's channels offer, for suggestions. */
  pointers: readonly Pick<Pointer, 'channel'>[];
  value: string;
  onChange: (channel: string) => void;
};

export function ChannelInput({ pointers, value, onChange }: ChannelInputProps) {
  const listId = useId();
  return (
    <>
      <TextInput
        data-field="channel"
        label="Channel"
        required
        list={listId}
        data-autofocus
        pattern="[a-z0-9][a-z0-9_\-]{0,31}"
        title="Up to 32 lowercase letters, digits, - and _"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value.toLowerCase())}
      />
      <datalist id={listId}>
        {channelNames(pointers).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
