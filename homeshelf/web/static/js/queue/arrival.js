// The person of this page is here now.
import { arrive } from "./here.js";

const { member } = document.body.dataset;

/** When nothing of the person before is kept any more, and nothing of theirs is sent. */
export const arrived = member ? arrive(member) : Promise.resolve();
