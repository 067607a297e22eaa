// SPDX-License-Identifier: MIT
//! Words by which a sentence of a person is weighed: what lasts, what is too long, what is waited for, why, and what mended
//! it, in English; of other languages `text/languages.txt` has them.

/// Words for what lasts ...
pub(super) const LASTS: &str = "take|stays|taking|took|more then|more than|spend|spent|adds|add |added|extra|need|longer|increas|\
    activating for|go by|pass |lost|wastes|accounts for|runs for|vs|versus|in ~|boots in|starts in|lasts|\
    roughly|until|elapsed|requires|spends|comes on|compared to|approximately|went from|goes from|improved from|reduced from|after|alone|costs|->|=>|\
    vs.|before|booted in|booting in";
/// ... and of those that say that it is too long.
pub(super) const SLOW: &str = "slow|delay|hang|hung|stuck|crawl|sluggish|halt|drags|some time|awhile|eternity|\
    ages to|stall|freez|pause|lag|takes long|long time|takes forever|takes ages|too long|minutes to|longest|\
    so long|quite long|very long|long to|significantly|drastically|long boot|lengthy|unacceptabl|polling|\
    significant amount of time|many seconds|some seconds|few seconds|several seconds|several minutes|\
    few minutes|black screen|long timeout|bottleneck|longer amount|much longer|taking longer|takes longer|\
    longer than|times are increased|a while|need to wait|infinitely|indefinitely|forever|way longer|far longer|\
    lot longer|far more time|more time to|lot of time|excessively long|unusually long|worse boot|hours to|\
    very low|too low|more time|taking more|tens of milliseconds|not starting as fast|so much time|extra time|\
    won't boot|doesn't boot|does not boot|not booting|fails to boot|failed to boot|cannot boot|can't boot|breaks the|broke the|\
    breaks boot|refuses to boot|boot loop|bootloop|literally hours|takes hours|hours until";
/// Words that name what is waited for.
pub(super) const WAITS: &str = "waits|start job|wait for|wait until|waiting|awaiting|waited|to wait|blocks|\
    blocking|blocked|times out|timing out|timed out|retries|timeout during|timeout extends|gives up|giving up|\
    gave up|sits there|stop at|stops at|hold up|holds up|held up|sits behind|timeout expires|stays at|stays on|\
    nothing happens";
/// Words beside which a cause stands.
pub(super) const CAUSES: &str = "because|, so the|due to|caused by|causes|causing|cause is|cause of|the reason|\
    solved it|solved by|fixed it by|we found|i found|found that|found out|able to see|noticed that|\
    the problem is|blames|related to|reveals that|is that|came from|comes from|come from|biggest|largest|\
    dominant|most of|portion of|does this because|as it |resulting in|result of|lead to|leads to|side effect|\
    means a|leading to|explain|makes boot|since |attributed to|offending|results in|resulted in|this commit|this patch";
/// Words with which people tell what it was.
pub(super) const FOUND: &str = "culprit|solved|discovered|reasons is|the reasons|turned out|turns out|\
    root cause|was the one|to blame|responsible|the cause|cause is|the issue was|the problem was|cause was|\
    top offender|the reason was|offending|offender|attributed to|due to the|the fix for";
/// Words of what mended it, or made a start shorter.
pub(super) const MENDED: &str = "fixed it|fixed by|fixed the problem|fixed the issue|fixes|after removing|\
    after disabling|by removing|by disabling|when i removed|is gone|went away|goes away|go away|not seen|\
    without|disabled|disabling|reverting|removing|boots fine|boots normal|as fast as expected|instantly|\
    eliminate|reduced|reduces|reduce the|improved|down from|sped up|speeds up|shave|saves|cuts|cut |drops to|\
    dropped to|lowers|shorter|quicker|faster|workaround|solution|avoid|allowed the boot|before:|now boots|\
    boots now|now get to|now gets to|it now|worked for me|works now|now works|back to normal|did the trick|fix the issue|fix the problem|\
    resolved in|resolved by|resolved with|solved by|solved with|starts at about|better boot";
/// What is wished, supposed or told to do ...
pub(super) const WISHES: &str = "should|would|could|might|may be|i'd like|if you|you can|please|expected|want|\
    instead of|thanks|let me|we need|are needed|propose|we can|i can|less than";
/// ... what sets a time, or explains what something is ...
pub(super) const NOTES: &str = "set to|set the|defaults to|by default|default is|configur|setting|limit|\
    timeoutsec|is a oneshot|this page|this article|this tutorial|the following|specifies|parameter|description|\
    , default|(default|how long|number of seconds|version|installs|increases the timeout|bounding";
/// ... and what is denied.
pub(super) const DENIED: &str = "no longer|no delay|is fine|never|uptime|without delay|without any delay|\
    retries every|per second|added a delay|add a delay|adds a delay|add delay|whether|rebooted|not slow|\
    isn't slow|login shell|been up for|minutes ago|hours ago|days ago|spent hours|hours trying|hours of";
/// What ends, or wakes up, is no start.
pub(super) const OTHER: &str = "shutdown|shut down|shutting down|stop job|suspend|resume from|resuming|wakeup|\
    hibernat|powering off|power off|log out|logging out|after you log in|build takes|compile takes|\
    compiling|compilation|to compile|recompil";

/// Words that say outright why something is so ...
pub(super) const BECAUSE: &str = "because|due to|caused|causes|root cause|culprit|turned out|turns out|to blame|\
    responsible|the reason|the cause|reason is|reason was|reasons are|do with|regression between|regression since|regression from|introduced the|first bad commit|boils down|boil down|come down to|\
    came down to|comes down to|tied to|thanks to|stems from|stem from|results from|triggers|triggered|trigger a|\
    explains|explained by|explanation|what is happening|what happens is|what happened|obvious|narrowed|bisect|\
    traced it|that was it|the problem is|the problem was|the issue is|the issue was|the bug is|makes it|made it|\
    leads to|lead to|makes the|made the|makes my|forces|offending|attributed to|stemmed|is to do with|down to the|as a result of|\
    results in|resulted in|that cause |which cause |can cause |to cause ";
/// ... of what somebody supposes, found or saw ...
pub(super) const SUPPOSES: &str = "i figured|figured out|i believe|believe that|suspect|i think|i guess|\
    presumably|probably|most likely|apparently|seems|it appears|appears to be|looks like|we find|we found|\
    i found|i have found|found out|found that|the fix|noticed|determined|discovered|realized|realised|a bug|\
    the bug|bug in|regression|race|deadlock|related to|consists of|most of|mostly|mainly|main |biggest|largest|\
    only significant|bottleneck|dominat|penalty|expensive|limited by|depends on|requires|since |as it |\
    which means|this means|means that|happens when|happens if|judging by|may be|maybe|might be|could be|could indeed|\
    i'd guess|my guess|guessing|i'd say|very likely|likely that|is likely|i see that|is a bug|bios bug|firmware bug|driver bug|\
    kernel bug|disadvantage|notoriously|seem to|indicates|difference is|suspicion|supposedly|definitely|some issue|you'll need to|you will need to|you need to|comes with|came with";
/// ... and of what goes on meanwhile, or is not there.
pub(super) const HINTS: &str = "trying to|tried|tries|try to|wait |waits|attempts|in progress|performs|\
    performing|scanning|scans|probing|probes|polls|polling|rebuild|regenerat|generating|loading|loads|reading|\
    reads|checks|checking|one-at-a-time|one at a time|one after|each |every |twice|in serial|serially|\
    sequential|synchronous|in parallel|does not have|doesn't have|don't have|not have|missing|lack of|absence|\
    no longer exists|not there|not respond|doesn't respond|unplug|without|only when|only if|if the|when the|\
    after the|instead of|old version|wrong|broken|faulty|stale|debug|expanding|resiz|misconfig|\
    not getting|does not get|doesn't get|seeking|seeks|non-sequential|heavy|fails to|failing|failed|does not support|\
    doesn't support|too big|too small|too low|too many|too much|too slow|too short|already mounted|duplicate|conservative|\
    a lot of|have been reset|wrongly|conflict|deadlock|invalid|unneeded|unnecessary|not needed";
/// What a cause is often called, beside the things that are waited for.
pub(super) const PARTS: &str = "file system|filesystem|serial|memory|ram|cpu|clock|rom|hdmi|edid|i2c|spi|gpio|\
    dma|irq|interrupt|cable|battery|keyboard|mouse|hub|stick|drive|card|controller|bootloader|cache|database|\
    kernel|patch|commit|compiler|decompress|compress|encrypt|decrypt|hash|key|keys|server|sensor|camera|flash|\
    nand|eeprom|bios|loader|image|uimage|selftest|self-test|checks|dvd|cd|lookup|zone|reads|psram|busybox|\
    library|libraries|relink|calib|gyro|constant|threshold|timer|adapter|interface|port|lease|address|hostname|server|tweaks|antivirus|extension|plugin|package|hook|thread";

/// Words of texts on the start of something that is no system, or not called a start: a loader's, a sensor's, a session's.
pub(super) const CONTEXT: &str =
    "grub|sensor calib|gyro calib|to arm|imu init|after login|start job|i restart|on restart|login delay|login is slow|\
    slow login|delay on login|delayed login|logging in|logged in|when i log in|i log in|on login|at login|login takes|login taking|login time|login hangs|\
    to log in|into the desktop|desktop is shown|desktop appears|desktop to appear|desktop to load|desktop loads";
/// The same in a title that says that it is slow, or how long it takes.
pub(super) const BEGINNING: &str = "starting|starts|start|launch|loading|loads|container|comes up|come up|get up";
/// Words with which the next post accepts an answer.
pub(super) const ACCEPTED: &str = "that was it|that's it|that did it|that did the|that fixed|that solved|that worked|this worked|\
    this fixed|this solved|it worked|works now|fixed now|solved|the pointer|you were right|you are right|you're right|indeed|\
    exactly|that helped|this helped|yes that was|yes, that was|works like a charm|works great|perfect|bingo|i can confirm|\
    confirmed|good catch|nice find";
/// What somebody says that he changed ...
pub(super) const CHANGED: &str =
    "removed|removing|disabled|disabling|deactivated|reverted|reverting|unplugged|uninstalled|\
    masked|masking|deleted|deleting|commented out|downgraded|upgraded to|switched to|replaced|replacing|turned off|\
    turning off|took out|disconnected|swapped|getting rid|got rid|blacklisted|disable|remove|unchecking";
/// ... and beside it that it helped.
pub(super) const HELPED: &str = "went from|dropped from|dropped to|down to|goes from|boots in|now boots|boots now|boots fine|\
    now takes|takes now|now reboot|reboot takes|now it takes|instead of|is gone|went away|problem solved|got the problem solved|solved the|\
    fixed the|fixed it|much faster|lot faster|way faster|faster now|quick again|as fast as|instantly|normal again|now works|\
    works now|speed up|quite a difference|dramatic";
/// Words on what is at fault, in an answer of some words.
pub(super) const FAULTS: &str =
    "bad|broken|faulty|defective|dead|wrong|loose|missing|old|slow|corrupt|corrupted|damaged|failing|\
    misconfigured|fake|counterfeit|worn|full";
/// Labels before what mended it, or what it was.
pub(super) const REMEDIES: &str =
    "fix|the fix|cause|the cause|root cause|reason|solution|the solution|resolution|workaround|\
    culprit|answer|diagnosis|explanation|solved|update|edit";
/// Words with which somebody excuses a late answer, or says what he will do, and when.
pub(super) const EXCUSES: &str = "sorry for the delay|sorry for the late|sorry for the long delay|sorry for the slow|\
    sorry about the delay|sorry for my late|sorry for my delay|sorry for delay|sorry for late|\
    apologies for the delay|apologies for the late|apologies for the slow|apologize for the delay|\
    apologise for the delay|excuse the delay|delay in replying|delay in getting back|will take some time|will take a while|\
    may take some time|might take some time|when i have time|when i get time|if i find time|my first time|the first time i|\
    first time with|run git bisect|run 'git bisect'|run a bisect|can you bisect|could you bisect|try to bisect|will bisect";
