// Groups the same commands for several shells, which follow each other in a page, into tabs that work without JavaScript.

const LABELS: Readonly<Record<string, string>> = {
  sh: 'bash',
  powershell: 'PowerShell',
  bat: 'Command Prompt',
};

const REST = '(?:(?!</div>)[\\s\\S])*</div>\\n';
/** A block for bash, with those for other shells directly after it. */
const GROUP = new RegExp(
  `<div data-code data-shell="sh">${REST}(?:<div data-code data-shell="(?:powershell|bat)">${REST})+`,
  'g',
);

export function groupShells(html: string): string {
  let count = 0;
  return html.replaceAll(GROUP, (blocks) => {
    count += 1;
    const shells = [...blocks.matchAll(/data-shell="(\w+)"/g)].map(([, shell = '']) => shell);
    const tabs = shells.map((shell, index) => {
      const id = `shell-${count}-${shell}`;
      const checked = index === 0 ? ' checked' : '';
      const input = `<input type="radio" name="shell-${count}" id="${id}" value="${shell}"${checked}>`;
      return `${input}<label for="${id}">${LABELS[shell]}</label>`;
    });
    return `<fieldset data-shells><legend>Shell</legend>${tabs.join('')}\n${blocks}</fieldset>\n`;
  });
}
