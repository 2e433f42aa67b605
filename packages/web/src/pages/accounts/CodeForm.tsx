// The second step of a sign-in: a code of the authenticator app, or a backup code.
import { Anchor, Checkbox, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { enterCode } from '../../session.ts';
import { AccountForm } from './AccountForm.tsx';

type CodeFormProps = { onSignedIn: () => Promise<void>; onRestart: () => void };

export function CodeForm({ onSignedIn, onRestart }: CodeFormProps) {
  const [code, setCode] = useState('');
  const [isBackup, setBackup] = useState(false);
  const [trustDevice, setTrust] = useState(false);
  const entering = useMutation({ mutationFn: () => enterCode({ code, isBackup, trustDevice }), onSuccess: onSignedIn });
  const change = () => {
    setBackup(!isBackup);
    setCode('');
    entering.reset();
  };
  return (
    <AccountForm
      title="Enter your code"
      submitLabel="Sign in"
      isBusy={entering.isPending}
      error={entering.error}
      onSubmit={() => entering.mutate()}
      footer={
        <Text size="sm">
          <Anchor component="button" type="button" size="sm" onClick={change}>
            {isBackup ? 'Use the authenticator app' : 'Use a backup code'}
          </Anchor>
          {' · '}
          <Anchor component="button" type="button" size="sm" onClick={onRestart}>
            Start again
          </Anchor>
        </Text>
      }
    >
      <CodeField key={String(isBackup)} isBackup={isBackup} value={code} onChange={setCode} />
      <Checkbox
        label="Don't ask again in this browser for 30 days"
        checked={trustDevice}
        onChange={(event) => setTrust(event.currentTarget.checked)}
      />
    </AccountForm>
  );
}

type CodeFieldProps = { isBackup?: boolean; value: string; onChange: (value: string) => void };

export function CodeField({ isBackup = false, value, onChange }: CodeFieldProps) {
  return (
    <TextInput
      label={isBackup ? 'Backup code' : 'Code'}
      description={
        isBackup ? 'One of the codes that you saved. Each works once.' : 'The 6 digits in your authenticator app'
      }
      autoComplete={isBackup ? 'off' : 'one-time-code'}
      inputMode={isBackup ? 'text' : 'numeric'}
      maxLength={20}
      required
      autoFocus
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
