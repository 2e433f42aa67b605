// Sends the game's events. Each build has a chauffeur.json with the server, the game and the build: see README.txt.
import { ChauffeurEvents } from './chauffeur-events.js';

const response = await fetch('chauffeur.json');
const { events_url: endpoint, app_id: appId, build_id: buildId } = await response.json();

export const events = new ChauffeurEvents({ endpoint, appId, buildId });

// An error in a frame stops the game, because the next frame is not requested.
addEventListener('error', () => events.crash());
