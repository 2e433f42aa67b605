// The game's events. A build has its own chauffeur.json, which says where they go and which build it is: see README.txt.
import { ChauffeurEvents } from './chauffeur-events.js';

const response = await fetch('chauffeur.json');
const { endpoint, app_id: appId, build_id: buildId } = await response.json();

export const events = new ChauffeurEvents({ endpoint, appId, buildId });

// An error in a frame is the last one: the next was not asked for.
addEventListener('error', () => events.crash());
