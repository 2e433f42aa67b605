// The shell command that sends a test event for a build.

export function formatTestEventCommand(api: string, gameUid: string, buildId: string): string {
  const event = JSON.stringify({ event: 'boot_ok', device_uid: 'try-out', ms: 4200 });
  return [
    `curl -sS ${api}/public/events`,
    `-H 'X-App-Id: ${gameUid}' -H 'X-Build-Id: ${buildId}'`,
    `-H 'Content-Type: application/json' -d '{"events":[${event}]}'`,
  ].join(' \\\n  ');
}
