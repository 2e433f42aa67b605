// Writes the scripts that install the `chauffeur` command from this server. They contain the checksums, so that a
// program that was damaged on its way is not installed.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getCli } from '@chauffeur/contract/operations/cli';

type Cli = OutputOf<typeof getCli>;

/**
 * Writes the script for Linux and macOS. Everything is in a function, so that a script that was cut off does nothing.
 */
export function writeShellScript(cli: Cli, publicUrl: string): string {
  const choices = cli.files
    .filter(({ platform }) => platform.startsWith('linux') || platform.startsWith('macos'))
    .map(({ platform, url, sha256 }) => `    ${platform}) url=${quote(url)} sha256=${sha256} ;;`);
  const npm = cli.files.find(({ platform }) => platform === 'npm');
  return `#!/bin/sh
# Installs chauffeur ${cli.version} from ${publicUrl}.
# The program goes to \${CHAUFFEUR_INSTALL_DIR:-$HOME/.local/bin}.
set -eu

fail() {
  echo "error: $1" >&2
  exit 1
}

download() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 3 -o "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1"
  else
    fail 'Neither curl nor wget is installed. Install one of them.'
  fi
}

sha256_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1"
  else
    shasum -a 256 "$1"
  fi | cut -d ' ' -f 1
}

# For platforms without a program.
install_with_npm() {
  if command -v node >/dev/null 2>&1 && node -e 'process.exit(require("node:zlib").zstdCompressSync ? 0 : 1)' &&
    command -v npm >/dev/null 2>&1; then
    npm install -g ${quote(npm?.url ?? '')}
    exit
  fi
  fail "This server has no program for $1. Install Node 22.15 or newer, and run this script again."
}

main() {
  os=$(uname -s)
  arch=$(uname -m)
  case "$os" in
    Linux) os=linux ;;
    Darwin) os=macos ;;
    *) fail "$os is not supported. On Windows, use PowerShell: ${cli.install.powershell}" ;;
  esac
  case "$arch" in
    x86_64 | amd64) arch=x64 ;;
    arm64 | aarch64) arch=arm64 ;;
  esac
  # A shell that Rosetta translates says x86_64 on Apple silicon.
  if [ "$os-$arch" = macos-x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then
    arch=arm64
  fi
  case "$os-$arch" in
${[...choices, '    *) install_with_npm "$os-$arch" ;;'].join('\n')}
  esac

  folder=\${CHAUFFEUR_INSTALL_DIR:-$HOME/.local/bin}
  mkdir -p "$folder"
  work=$(mktemp -d "$folder/.chauffeur-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  echo "Downloading $url" >&2
  download "$url" "$work/chauffeur.gz"
  [ "$(sha256_of "$work/chauffeur.gz")" = "$sha256" ] || fail "The download is damaged. Run this script again."
  gunzip "$work/chauffeur.gz"
  chmod 755 "$work/chauffeur"
  if ! "$work/chauffeur" --version >/dev/null; then
    case "$os" in
      linux) fail 'The program does not start. It needs glibc 2.28 or newer and libatomic: apt-get install libatomic1' ;;
      *) fail 'The program does not start.' ;;
    esac
  fi
  mv -f "$work/chauffeur" "$folder/chauffeur"
  echo "Installed chauffeur ${cli.version} as $folder/chauffeur." >&2
  case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "Add it to your PATH: export PATH=\\"$folder:\\$PATH\\"" >&2 ;;
  esac
  echo "Next: export SERVICE_API_URL=${publicUrl}/api/v1" >&2
}

main
`;
}

/** Writes the script for Windows, for Windows PowerShell 5.1 and newer. */
export function writePowerShellScript(cli: Cli, publicUrl: string): string {
  const program = cli.files.find(({ platform }) => platform === 'windows-x64');
  const npm = cli.files.find(({ platform }) => platform === 'npm');
  const head = `# Installs chauffeur ${cli.version} from ${publicUrl}.
# The program goes to $env:CHAUFFEUR_INSTALL_DIR, or to the folder Chauffeur of your local programs.
$ErrorActionPreference = 'Stop'
`;
  if (program === undefined) {
    return `${head}
if (-not (Get-Command npm -ErrorAction SilentlyContinue)) {
  throw 'This server has no program for Windows. Install Node 22.15 or newer, and run this script again.'
}
npm install -g '${npm?.url ?? ''}'
`;
  }
  return `${head}
& {
  $folder = if ($env:CHAUFFEUR_INSTALL_DIR) { $env:CHAUFFEUR_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\\Chauffeur' }
  New-Item -ItemType Directory -Force -Path $folder | Out-Null
  $packed = Join-Path $folder ('chauffeur-' + [guid]::NewGuid() + '.gz')
  $unpacked = [IO.Path]::ChangeExtension($packed, '.exe')
  try {
    Write-Host 'Downloading ${program.url}'
    # The progress bar of Windows PowerShell slows a download down many times.
    $ProgressPreference = 'SilentlyContinue'
    Invoke-WebRequest -UseBasicParsing -Uri '${program.url}' -OutFile $packed
    if ((Get-FileHash -Algorithm SHA256 $packed).Hash -ne '${program.sha256}') {
      throw 'The download is damaged. Run this script again.'
    }
    $source = [IO.File]::OpenRead($packed)
    $target = [IO.File]::Create($unpacked)
    try {
      (New-Object IO.Compression.GZipStream $source, ([IO.Compression.CompressionMode]::Decompress)).CopyTo($target)
    } finally {
      $target.Dispose()
      $source.Dispose()
    }
    & $unpacked --version | Out-Null
    if ($LASTEXITCODE -ne 0) { throw 'The program does not start.' }
    Move-Item -Force $unpacked (Join-Path $folder 'chauffeur.exe')
  } finally {
    Remove-Item -Force -ErrorAction SilentlyContinue $packed, $unpacked
  }
  $path = [Environment]::GetEnvironmentVariable('Path', 'User')
  if (($path -split ';') -notcontains $folder) {
    [Environment]::SetEnvironmentVariable('Path', "$path;$folder", 'User')
    $env:Path = "$env:Path;$folder"
  }
  Write-Host "Installed chauffeur ${cli.version} in $folder."
  Write-Host 'Next: $env:SERVICE_API_URL = "${publicUrl}/api/v1"'
}
`;
}

/** Quotes a text for sh. The operator writes the public URL, which may contain any characters. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\\\''")}'`;
}
