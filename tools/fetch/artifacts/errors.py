# SPDX-License-Identifier: Apache-2.0
"""The two ways in which getting something goes wrong."""


class ArtifactError(Exception):
    """A fault of the caller, the recipe or the lock: nothing can be done, say so and stop."""


class FetchError(Exception):
    """One artifact could not be had. The others go on.

    `final` says that trying again cannot help (another version on the mirror, a missing tool).
    """

    def __init__(self, reason: str, final: bool = False):
        super().__init__(reason)
        self.final = final
