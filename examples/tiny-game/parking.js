// Parking, a game with one rule: drive the car into the marked space and stop.
const canvas = document.getElementById('lot');
const line = document.getElementById('line');
const pen = canvas.getContext('2d');
const keys = new Set();

// The game's events, if the build has them (see events.js). The game also works without them.
const events = import('./events.js').then(
  (module) => module.events,
  () => null,
);

let level = 1;
let car;
let space;

function begin() {
  car = { x: 60, y: 160, heading: 0, speed: 0 };
  // The position depends only on the level, so each level is the same for all players.
  space = { x: 160 + ((level * 97) % 260), y: 60 + ((level * 61) % 200) };
  line.textContent = `Level ${level}. Arrow keys steer. Stop inside the marked space.`;
}

function drive(seconds) {
  const pedal = (keys.has('ArrowUp') ? 1 : 0) - (keys.has('ArrowDown') ? 1 : 0);
  const wheel = (keys.has('ArrowRight') ? 1 : 0) - (keys.has('ArrowLeft') ? 1 : 0);
  car.speed += (pedal * 120 - car.speed * 1.6) * seconds;
  car.heading += wheel * car.speed * 0.03 * seconds;
  car.x = Math.min(470, Math.max(10, car.x + Math.cos(car.heading) * car.speed * seconds));
  car.y = Math.min(310, Math.max(10, car.y + Math.sin(car.heading) * car.speed * seconds));
}

function isParked() {
  return Math.abs(car.x - space.x) < 8 && Math.abs(car.y - space.y) < 8 && Math.abs(car.speed) < 4;
}

function draw() {
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.setLineDash([6, 4]);
  pen.strokeStyle = '#f2c14e';
  pen.strokeRect(space.x - 26, space.y - 16, 52, 32);
  pen.setLineDash([]);
  pen.save();
  pen.translate(car.x, car.y);
  pen.rotate(car.heading);
  pen.fillStyle = '#d1495b';
  pen.fillRect(-18, -9, 36, 18);
  pen.fillStyle = '#9fd3e0';
  pen.fillRect(4, -7, 7, 14);
  pen.restore();
}

/** Calls `send` with the events, once they are loaded. */
async function withEvents(send) {
  const loaded = await events;
  if (loaded !== null) send(loaded);
}

let last = performance.now();
function frame(now) {
  drive(Math.min(0.05, (now - last) / 1000));
  last = now;
  draw();
  if (isParked()) {
    const parked = level;
    withEvents((loaded) => loaded.track('parked', { level: parked }));
    level += 1;
    begin();
  }
  requestAnimationFrame(frame);
}

addEventListener('keydown', (event) => keys.add(event.key));
addEventListener('keyup', (event) => keys.delete(event.key));
begin();
canvas.focus();
requestAnimationFrame((now) => {
  frame(now);
  const ms = performance.now();
  withEvents((loaded) => loaded.bootOk(ms));
});
