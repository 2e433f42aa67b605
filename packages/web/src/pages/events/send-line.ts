// The line of a shell that sends an event of a build.

export function sendLine(api: string, gameUid: string, buildId: string): string {
  const event = JSON.stringify({ event: 'boot_ok', device_uid: 'try-out', ms: 4200 });
  return [
    `curl -sS ${api}/public/events`,
    `-H 'X-App-Id: ${gameUid}' -H 'X-Build-Id: ${buildId}'`,
    `-H 'Content-Type: application/json' -d '{"events":[${event}]}'`,
  ].join(' \\\n  ');
}
