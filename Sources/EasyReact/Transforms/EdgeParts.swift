/// What a transform makes anew for each of its lives.
@usableFromInline struct EdgeParts {
  @usableFromInline let step: Step
  @usableFromInline let state: EdgeState?
  @inlinable init(state: EdgeState? = nil, _ step: @escaping Step) {
    self.step = step
    self.state = state
  }
}

/// The step of an edge that was made without a transform, for the lives that follow.
struct SharedStep: @unchecked Sendable {
  // Unchecked: such a step keeps nothing of one life: it captures the user's `@Sendable` function at most.
  let step: Step
}
