// The registers of a thread, in the order of the server, which is the usual one for the CPU.
import { Text } from '@mantine/core';
import classes from './crashes.module.css';

export function RegisterList({ registers }: { registers: Readonly<Record<string, string>> }) {
  const entries = Object.entries(registers);
  if (entries.length === 0) return <Text size="sm">The dump has no registers of this thread.</Text>;
  return (
    <dl className={classes.registers} aria-label="Registers">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
