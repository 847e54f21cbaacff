// expect: 'Listenings' is deprecated: renamed to 'CancelableBag'
import EasyReact

func keep() -> Listenings { CancelableBag() }
